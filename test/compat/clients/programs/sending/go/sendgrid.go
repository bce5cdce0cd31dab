package main

import (
	"encoding/base64"
	"errors"

	"github.com/sendgrid/sendgrid-go"
	"github.com/sendgrid/sendgrid-go/helpers/mail"
)

func startSendgrid(url, key string) Send {
	client := sendgrid.NewSendClient(key)
	client.BaseURL = url + "/v3/mail/send"
	return func(asked Mail) error {
		answer, err := client.Send(sendgridMail(asked))
		if err == nil && answer.StatusCode >= 400 {
			err = errors.New(answer.Body)
		}
		return err
	}
}

func sendgridMail(asked Mail) *mail.SGMailV3 {
	message := mail.NewV3Mail().SetFrom(sendgridMailbox(asked.From))
	message.Subject = asked.Subject
	whom := mail.NewPersonalization()
	whom.AddTos(each(asked.To, sendgridMailbox)...)
	whom.AddCCs(each(asked.Cc, sendgridMailbox)...)
	whom.AddBCCs(each(asked.Bcc, func(address string) *mail.Email { return mail.NewEmail("", address) })...)
	if len(asked.ReplyTo) > 0 {
		message.SetReplyToList(each(asked.ReplyTo, sendgridMailbox))
	}
	if asked.Template != nil {
		message.SetTemplateID(asked.Template.ID)
		whom.DynamicTemplateData = asked.Template.Data
	}
	if asked.Text != "" {
		message.AddContent(mail.NewContent("text/plain", asked.Text))
	}
	if asked.HTML != "" {
		message.AddContent(mail.NewContent("text/html", asked.HTML))
	}
	for name, value := range asked.Headers {
		message.SetHeader(name, value)
	}
	for _, tag := range asked.Tags {
		message.AddCategories(tag.Value)
	}
	for name, value := range asked.Metadata {
		message.SetCustomArg(name, value)
	}
	for _, file := range asked.Files {
		attachment := mail.NewAttachment().SetContent(base64.StdEncoding.EncodeToString(file.Content))
		attachment.SetType(file.ContentType).SetFilename(file.Filename).SetDisposition("attachment")
		if file.ContentID != "" {
			attachment.SetDisposition("inline").SetContentID(file.ContentID)
		}
		message.AddAttachment(attachment)
	}
	return message.AddPersonalizations(whom)
}

func sendgridMailbox(person Person) *mail.Email { return mail.NewEmail(person.Name, person.Address) }
