package main

import (
	"net/url"

	"github.com/resend/resend-go/v3"
)

func startResend(address, key string) Send {
	client := resend.NewClient(key)
	client.BaseURL, _ = url.Parse(address + "/")
	return func(mail Mail) error {
		request := &resend.SendEmailRequest{
			From:    mailbox(mail.From),
			To:      each(mail.To, mailbox),
			Cc:      each(mail.Cc, mailbox),
			Bcc:     mail.Bcc,
			Subject: mail.Subject,
			Text:    mail.Text,
			Html:    mail.HTML,
			Headers: mail.Headers,
			Tags:    each(mail.Tags, func(tag Tag) resend.Tag { return resend.Tag(tag) }),
			Attachments: each(mail.Files, func(file File) *resend.Attachment {
				return &resend.Attachment{
					Content:     file.Content,
					Filename:    file.Filename,
					ContentType: file.ContentType,
					ContentId:   file.ContentID,
				}
			}),
		}
		if len(mail.ReplyTo) > 0 {
			request.ReplyTo = mailbox(mail.ReplyTo[0])
		}
		if mail.Template != nil {
			request.Template = &resend.EmailTemplate{Id: mail.Template.ID, Variables: mail.Template.Data}
		}
		_, err := client.Emails.Send(request)
		return err
	}
}
