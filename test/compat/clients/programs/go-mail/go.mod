module example.com/go-mail

go 1.25.0

require github.com/wneessen/go-mail v0.8.1
