"""What somebody who writes a configuration is given: its fields, all that is wrong, where each value comes from."""
