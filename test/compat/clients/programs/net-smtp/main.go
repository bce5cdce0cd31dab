package main

import (
	"crypto/tls"
	"log"
	"net"
	"net/smtp"
	"os"
)

func main() {
	host, port := os.Getenv("SMTP_HOST"), os.Getenv("SMTP_PORT")
	from, to := os.Getenv("MAIL_FROM"), os.Getenv("MAIL_TO")
	config := &tls.Config{ServerName: host}
	if os.Getenv("UNVERIFIED") == "1" {
		config.InsecureSkipVerify = true
		config.MinVersion = tls.VersionTLS10
	}
	address := net.JoinHostPort(host, port)
	var client *smtp.Client
	if os.Getenv("IMPLICIT") == "1" {
		connection, err := tls.Dial("tcp", address, config)
		check(err)
		client, err = smtp.NewClient(connection, host)
		check(err)
	} else {
		var err error
		client, err = smtp.Dial(address)
		check(err)
		check(client.StartTLS(config))
	}
	check(client.Mail(from))
	check(client.Rcpt(to))
	data, err := client.Data()
	check(err)
	_, err = data.Write([]byte("From: " + from + "\r\nTo: " + to + "\r\nSubject: Hello\r\n\r\nHello.\r\n"))
	check(err)
	check(data.Close())
	check(client.Quit())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
