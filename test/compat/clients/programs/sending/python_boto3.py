"""Sends through SES with API version 2, or with version 1 (`ses`)."""
import json
import sys
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formataddr

import boto3
from given import send_all


def start(url, key):
    name = sys.argv[1]
    settings = {"region_name": "eu-west-1", "aws_access_key_id": key, "aws_secret_access_key": "not-looked-at"}
    client = boto3.client(name, endpoint_url=url, **settings)
    return lambda mail: (send_v2 if name == "sesv2" else send_v1)(client, mail)


def send_v2(client, mail):
    parts = {
        "Headers": [{"Name": name, "Value": in_ascii(value)} for name, value in mail.headers.items()],
        "Attachments": [attachment(file) for file in mail.files],
    }
    template = mail.template and {
        "TemplateName": mail.template["id"],
        "TemplateData": json.dumps(mail.template["data"]),
    }
    client.send_email(
        FromEmailAddress=mailbox(mail.sender),
        Destination=destination(mail),
        ReplyToAddresses=[mailbox(person) for person in mail.replyTo],
        EmailTags=tags(mail),
        Content={"Template": {**template, **parts}} if template else {"Simple": {**message(mail), **parts}},
    )


def send_v1(client, mail):
    source = mailbox(mail.sender)
    head = {"Source": source, "Destination": destination(mail), "Tags": tags(mail)}
    head["ReplyToAddresses"] = [mailbox(person) for person in mail.replyTo]
    if mail.template:
        data = json.dumps(mail.template["data"])
        client.send_templated_email(**head, Template=mail.template["id"], TemplateData=data)
    elif mail.files or mail.headers:
        client.send_raw_email(
            Source=source, Destinations=mail.everybody, RawMessage={"Data": composed(mail)}, Tags=tags(mail)
        )
    else:
        client.send_email(**head, Message=message(mail))


def message(mail):
    bodies = {"Text": mail.text, "Html": mail.html}
    return {
        "Subject": utf8(mail.subject),
        "Body": {name: utf8(text) for name, text in bodies.items() if text is not None},
    }


def attachment(file):
    inline = {"ContentId": file["contentId"]} if file["contentId"] else {}
    return {
        "FileName": file["filename"],
        "ContentType": file["contentType"],
        "RawContent": file["bytes"],
        "ContentTransferEncoding": "BASE64",
        "ContentDisposition": "INLINE" if inline else "ATTACHMENT",
        **inline,
    }


def composed(mail):
    """The mail composed by Python."""
    made = EmailMessage()
    made["From"], made["Subject"] = address(mail.sender), mail.subject
    for name, people in (("To", mail.to), ("Cc", mail.cc), ("Reply-To", mail.replyTo)):
        if people:
            made[name] = [address(person) for person in people]
    for name, value in mail.headers.items():
        made[name] = value
    if mail.text is not None:
        made.set_content(mail.text)
    if mail.html is not None:
        made.add_alternative(mail.html, subtype="html") if mail.text is not None else made.set_content(
            mail.html, subtype="html"
        )
    for file in mail.files:
        kind, subtype = file["contentType"].split("/")
        inline = {"cid": f"<{file['contentId']}>", "disposition": "inline"} if file["contentId"] else {}
        made.add_attachment(file["bytes"], kind, subtype, filename=file["filename"], **inline)
    return made.as_bytes()


def address(person):
    return Address(person["name"], addr_spec=person["address"])


def mailbox(person):
    """Uses encoded words for names that are not ASCII."""
    return formataddr((person["name"], person["address"]))


def in_ascii(text):
    return text if text.isascii() else Header(text, "utf-8", maxlinelen=70).encode(linesep="")


def destination(mail):
    return {
        "ToAddresses": [mailbox(person) for person in mail.to],
        "CcAddresses": [mailbox(person) for person in mail.cc],
        "BccAddresses": mail.bcc,
    }


def tags(mail):
    return [{"Name": tag["name"], "Value": tag["value"]} for tag in mail.tags]


def utf8(text):
    return {"Data": text, "Charset": "UTF-8"}


send_all(start)
