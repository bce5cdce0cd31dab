// Sends mails with the SDK of the given provider and prints the error of each or null.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
)

type Person struct{ Name, Address string }

type Tag struct{ Name, Value string }

type File struct {
	Filename, ContentType string
	Content               []byte
	ContentID             string
}

type Template struct {
	ID   string
	Data map[string]any
}

// Mail is a mail to send; missing texts are empty.
type Mail struct {
	From                Person
	To, Cc              []Person
	Bcc                 []string
	ReplyTo             []Person
	Subject, Text, HTML string
	Files               []File
	Headers             map[string]string
	Tags                []Tag
	Metadata            map[string]string
	Template            *Template
}

// Send sends one mail.
type Send func(Mail) error

var providers = map[string]func(url, key string) Send{
	"resend":   startResend,
	"ses":      startSes,
	"sendgrid": startSendgrid,
	"postmark": startPostmark,
	"mailgun":  startMailgun,
}

func main() {
	var given struct {
		URL, Key string
		Mails    []Mail
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		log.Fatal(err)
	}
	send := providers[os.Args[1]](given.URL, given.Key)
	results := json.NewEncoder(os.Stdout)
	for _, mail := range given.Mails {
		var problem *string
		if err := send(mail); err != nil {
			problem = text(err.Error())
		}
		if err := results.Encode(problem); err != nil {
			log.Fatal(err)
		}
	}
}

func text(value string) *string { return &value }

// mailbox uses the usual notation: a quoted name, unless it is empty.
func mailbox(person Person) string {
	if person.Name == "" {
		return person.Address
	}
	return fmt.Sprintf("%q <%s>", person.Name, person.Address)
}

func each[In, Out any](values []In, made func(In) Out) []Out {
	all := make([]Out, 0, len(values))
	for _, value := range values {
		all = append(all, made(value))
	}
	return all
}
