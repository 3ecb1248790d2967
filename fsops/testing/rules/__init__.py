"""The rules of the contract, one function each: it returns, or complains by AssertionError."""
