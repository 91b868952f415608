"""The WebSocket stream: news from the channel layer, truth from the database."""
