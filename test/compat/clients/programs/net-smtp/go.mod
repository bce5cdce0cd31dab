module example.com/net-smtp

go 1.21
