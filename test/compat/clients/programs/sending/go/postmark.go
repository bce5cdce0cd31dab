package main

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/mrz1836/postmark"
)

func startPostmark(url, key string) Send {
	client := postmark.NewClient(key, "")
	client.BaseURL = url
	return func(mail Mail) error {
		if mail.Template != nil {
			_, err := client.SendTemplatedEmail(context.Background(), postmark.TemplatedEmail{
				From:          mailbox(mail.From),
				To:            mailboxes(mail.To),
				TemplateAlias: mail.Template.ID,
				TemplateModel: mail.Template.Data,
			})
			return err
		}
		email := postmark.Email{
			From:        mailbox(mail.From),
			To:          mailboxes(mail.To),
			Cc:          mailboxes(mail.Cc),
			Bcc:         strings.Join(mail.Bcc, ", "),
			ReplyTo:     mailboxes(mail.ReplyTo),
			Subject:     mail.Subject,
			TextBody:    mail.Text,
			HTMLBody:    mail.HTML,
			Metadata:    mail.Metadata,
			Attachments: each(mail.Files, postmarkAttachment),
		}
		if len(mail.Tags) > 0 {
			email.Tag = mail.Tags[0].Value
		}
		for name, value := range mail.Headers {
			email.Headers = append(email.Headers, postmark.Header{Name: name, Value: value})
		}
		_, err := client.SendEmail(context.Background(), email)
		return err
	}
}

func postmarkAttachment(file File) postmark.Attachment {
	attachment := postmark.Attachment{
		Name:        file.Filename,
		Content:     base64.StdEncoding.EncodeToString(file.Content),
		ContentType: file.ContentType,
	}
	if file.ContentID != "" {
		attachment.ContentID = "cid:" + file.ContentID
	}
	return attachment
}

func mailboxes(people []Person) string { return strings.Join(each(people, mailbox), ", ") }
