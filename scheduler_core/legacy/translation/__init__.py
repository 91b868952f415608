"""From a configuration of a past release to one of today, with a note about each line."""
