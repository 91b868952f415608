"""The kinds of objects that scheduling reads: a file a kind, in the folder of its API group; `table` lists them."""
