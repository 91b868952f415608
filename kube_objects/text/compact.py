"""JSON without spaces, as it is kept.

`json.dumps` makes an encoder for each text when it is given separators, which takes longer than most texts themselves.
"""

import json

compact = json.JSONEncoder(separators=(",", ":")).encode
