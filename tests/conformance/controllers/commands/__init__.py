"""What the commands of kubectl do, a family of them each."""
