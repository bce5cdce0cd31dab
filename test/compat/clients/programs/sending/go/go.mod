module example.com/sending

go 1.25.0

require (
	github.com/aws/aws-sdk-go-v2/credentials v1.20.16
	github.com/aws/aws-sdk-go-v2/service/sesv2 v1.79.8
	github.com/mailgun/mailgun-go/v4 v4.23.0
	github.com/mrz1836/postmark v1.7.4
	github.com/resend/resend-go/v3 v3.1.1
	github.com/sendgrid/sendgrid-go v3.16.1+incompatible
)
