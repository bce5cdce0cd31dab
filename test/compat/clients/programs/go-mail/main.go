package main

import (
	"crypto/tls"
	"log"
	"os"
	"strconv"

	"github.com/wneessen/go-mail"
)

func main() {
	port, err := strconv.Atoi(os.Getenv("SMTP_PORT"))
	check(err)
	options := []mail.Option{mail.WithPort(port), mail.WithTLSPolicy(mail.TLSMandatory)}
	if os.Getenv("IMPLICIT") == "1" {
		options = append(options, mail.WithSSL())
	}
	if os.Getenv("UNVERIFIED") == "1" {
		options = append(options, mail.WithTLSConfig(&tls.Config{
			ServerName:         os.Getenv("SMTP_HOST"),
			InsecureSkipVerify: true,
			MinVersion:         tls.VersionTLS10,
		}))
	}
	client, err := mail.NewClient(os.Getenv("SMTP_HOST"), options...)
	check(err)
	message := mail.NewMsg()
	check(message.From(os.Getenv("MAIL_FROM")))
	check(message.To(os.Getenv("MAIL_TO")))
	message.Subject("Hello")
	message.SetBodyString(mail.TypeTextPlain, "Hello.")
	check(client.DialAndSend(message))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
