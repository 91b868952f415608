"""The tokens that clients log in with, other than those that the page gives out."""
