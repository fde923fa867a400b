def tables(a,b): return ""
