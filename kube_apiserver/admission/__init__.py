"""The API server's admission plugins, one module per plugin, which change objects or refuse them.

`chain` lists them.
"""
