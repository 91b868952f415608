"""One scheduling attempt as a list of readable steps: search, extend, score, select, assume, reserve, permit, bind."""
