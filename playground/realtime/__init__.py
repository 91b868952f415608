"""The WebSocket stream: notifications come from the channel layer, missing records from the database."""
