"""Sends with Django and Anymail through the given provider."""
import sys
from email.mime.base import MIMEBase
from email.utils import formataddr

from django.conf import settings
from given import send_all

provider = sys.argv[1]
backends = {"ses": "amazon_ses"}


def start(url, key):
    anymail = {f"{provider.upper()}_API_URL": url + ("/v3" if provider in ("sendgrid", "mailgun") else "")}
    anymail[f"{provider.upper()}_{'SERVER_TOKEN' if provider == 'postmark' else 'API_KEY'}"] = key
    # Otherwise Anymail adds its own id to the metadata.
    anymail["SENDGRID_GENERATE_MESSAGE_ID"] = False
    aws = {
        "region_name": "eu-west-1",
        "endpoint_url": url,
        "aws_access_key_id": key,
        "aws_secret_access_key": "not-looked-at",
    }
    settings.configure(
        EMAIL_BACKEND=f"anymail.backends.{backends.get(provider, provider)}.EmailBackend",
        ANYMAIL={"AMAZON_SES_CLIENT_PARAMS": aws} if provider == "ses" else anymail,
    )
    return send


def send(mail):
    from anymail.message import AnymailMessage

    message = AnymailMessage(
        mail.subject,
        mail.text or "",
        mailbox(mail.sender),
        [mailbox(person) for person in mail.to],
        cc=[mailbox(person) for person in mail.cc],
        bcc=mail.bcc,
        reply_to=[mailbox(person) for person in mail.replyTo],
        headers=mail.headers,
    )
    if mail.html is not None:
        message.attach_alternative(mail.html, "text/html")
    if mail.tags:
        message.tags = [tag["value"] for tag in mail.tags]
    if mail.metadata:
        message.metadata = mail.metadata
    if mail.template:
        message.template_id = mail.template["id"]
        message.merge_global_data = mail.template["data"]
        message.subject = message.body = None
    for file in mail.files:
        attach(message, file)
    message.send()


def attach(message, file):
    if not file["contentId"]:
        message.attach(file["filename"], file["bytes"], file["contentType"])
        return
    part = MIMEBase(*file["contentType"].split("/"))
    part.set_payload(file["content"])
    part["Content-Transfer-Encoding"] = "base64"
    part["Content-Disposition"] = f'inline; filename="{file["filename"]}"'
    part["Content-ID"] = f"<{file['contentId']}>"
    message.attach(part)


def mailbox(person):
    """Django encodes names itself."""
    name = person["name"]
    return formataddr((name, person["address"])) if name.isascii() else f'"{name}" <{person["address"]}>'


send_all(start)
