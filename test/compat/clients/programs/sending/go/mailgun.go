package main

import (
	"bytes"
	"context"
	"io"

	"github.com/mailgun/mailgun-go/v4"
)

func startMailgun(url, key string) Send {
	client := mailgun.NewMailgun("shop.example", key)
	client.SetAPIBase(url + "/v3")
	return func(mail Mail) error {
		message, err := mailgunMessage(mail)
		if err == nil {
			_, _, err = client.Send(context.Background(), message)
		}
		return err
	}
}

func mailgunMessage(mail Mail) (*mailgun.Message, error) {
	message := mailgun.NewMessage(mailbox(mail.From), mail.Subject, mail.Text, each(mail.To, mailbox)...)
	message.SetHTML(mail.HTML)
	for _, person := range mail.Cc {
		message.AddCC(mailbox(person))
	}
	for _, address := range mail.Bcc {
		message.AddBCC(address)
	}
	if len(mail.ReplyTo) > 0 {
		message.SetReplyTo(mailboxes(mail.ReplyTo))
	}
	for name, value := range mail.Headers {
		message.AddHeader(name, value)
	}
	for name, value := range mail.Metadata {
		if err := message.AddVariable(name, value); err != nil {
			return nil, err
		}
	}
	for _, tag := range mail.Tags {
		if err := message.AddTag(tag.Value); err != nil {
			return nil, err
		}
	}
	for _, file := range mail.Files {
		if file.ContentID == "" {
			message.AddBufferAttachment(file.Filename, file.Content)
		} else {
			message.AddReaderInline(file.Filename, io.NopCloser(bytes.NewReader(file.Content)))
		}
	}
	if mail.Template != nil {
		message.SetTemplate(mail.Template.ID)
		for name, value := range mail.Template.Data {
			if err := message.AddTemplateVariable(name, value); err != nil {
				return nil, err
			}
		}
	}
	return message, nil
}
