package main

import (
	"context"
	"encoding/json"
	"mime"
	"net/mail"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

func startSes(url, key string) Send {
	client := sesv2.New(sesv2.Options{
		BaseEndpoint: &url,
		Region:       "eu-west-1",
		Credentials:  credentials.NewStaticCredentialsProvider(key, "not-looked-at", ""),
	})
	return func(asked Mail) error {
		_, err := client.SendEmail(context.Background(), &sesv2.SendEmailInput{
			FromEmailAddress: text(asciiMailbox(asked.From)),
			Destination: &types.Destination{
				ToAddresses:  each(asked.To, asciiMailbox),
				CcAddresses:  each(asked.Cc, asciiMailbox),
				BccAddresses: asked.Bcc,
			},
			ReplyToAddresses: each(asked.ReplyTo, asciiMailbox),
			EmailTags: each(asked.Tags, func(tag Tag) types.MessageTag {
				return types.MessageTag{Name: &tag.Name, Value: &tag.Value}
			}),
			Content: sesContent(asked),
		})
		return err
	}
}

func sesContent(asked Mail) *types.EmailContent {
	attachments := each(asked.Files, sesAttachment)
	var headers []types.MessageHeader
	for name, value := range asked.Headers {
		encoded := mime.BEncoding.Encode("utf-8", value)
		headers = append(headers, types.MessageHeader{Name: text(name), Value: &encoded})
	}
	if asked.Template != nil {
		data, _ := json.Marshal(asked.Template.Data)
		return &types.EmailContent{Template: &types.Template{
			TemplateName: &asked.Template.ID,
			TemplateData: text(string(data)),
			Headers:      headers,
			Attachments:  attachments,
		}}
	}
	body := &types.Body{}
	if asked.Text != "" {
		body.Text = utf8(asked.Text)
	}
	if asked.HTML != "" {
		body.Html = utf8(asked.HTML)
	}
	return &types.EmailContent{Simple: &types.Message{
		Subject:     utf8(asked.Subject),
		Body:        body,
		Headers:     headers,
		Attachments: attachments,
	}}
}

func sesAttachment(file File) types.Attachment {
	attachment := types.Attachment{
		FileName:                &file.Filename,
		ContentType:             &file.ContentType,
		RawContent:              file.Content,
		ContentTransferEncoding: types.AttachmentContentTransferEncodingBase64,
		ContentDisposition:      types.AttachmentContentDispositionAttachment,
	}
	if file.ContentID != "" {
		attachment.ContentDisposition = types.AttachmentContentDispositionInline
		attachment.ContentId = &file.ContentID
	}
	return attachment
}

// asciiMailbox uses encoded words for names that are not ASCII.
func asciiMailbox(person Person) string {
	if person.Name == "" {
		return person.Address
	}
	return (&mail.Address{Name: person.Name, Address: person.Address}).String()
}

func utf8(data string) *types.Content { return &types.Content{Data: &data, Charset: text("UTF-8")} }
