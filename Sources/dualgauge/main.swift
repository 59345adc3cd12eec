print("dualgauge")
