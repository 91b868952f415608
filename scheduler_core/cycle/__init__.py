"""The scheduling cycle and the binding cycle: filter, score, select, assume, reserve, permit, bind."""
