"""An extender in twenty lines: pods stay off hot nodes and prefer cold ones, by the label example.com/temperature.

Start it with `python3 examples/extenders/temperature.py 8888`; docs/how-to/use-an-extender.md says how to try it.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def temperatures(args: dict) -> dict:
    nodes = [node["metadata"] for node in args["Nodes"]["items"]]
    return {node["name"]: node.get("labels", {}).get("example.com/temperature", "mild") for node in nodes}


def filter_nodes(args: dict) -> dict:
    hot = {name: "too hot" for name, value in temperatures(args).items() if value == "hot"}
    left = [node for node in args["Nodes"]["items"] if node["metadata"]["name"] not in hot]
    return {"Nodes": {"items": left}, "FailedNodes": hot}


def prioritize(args: dict) -> list:
    return [{"Host": name, "Score": 10 if value == "cold" else 0} for name, value in temperatures(args).items()]


class Extender(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        args = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"/filter": filter_nodes, "/prioritize": prioritize}[self.path](args)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Extender)
    print(f"listening at http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
