import os
import smtplib
import ssl
from email.message import EmailMessage

context = ssl.create_default_context()
if os.environ.get("UNVERIFIED") == "1":
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.set_ciphers("DEFAULT@SECLEVEL=0")

message = EmailMessage()
message["From"], message["To"], message["Subject"] = os.environ["MAIL_FROM"], os.environ["MAIL_TO"], "Hello"
message.set_content("Hello.")

host, port = os.environ["SMTP_HOST"], int(os.environ["SMTP_PORT"])
if os.environ.get("IMPLICIT") == "1":
    with smtplib.SMTP_SSL(host, port, context=context) as smtp:
        smtp.send_message(message)
else:
    with smtplib.SMTP(host, port) as smtp:
        smtp.starttls(context=context)
        smtp.send_message(message)
