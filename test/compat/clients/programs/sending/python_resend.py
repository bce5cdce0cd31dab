import resend
from given import mailbox, mailboxes, send_all


def start(url, key):
    resend.api_url, resend.api_key = url, key
    return send


def send(mail):
    params = {
        "from": mailbox(mail.sender),
        "to": mailboxes(mail.to),
        "cc": mailboxes(mail.cc),
        "bcc": mail.bcc,
        "reply_to": mailboxes(mail.replyTo),
        "subject": mail.subject,
        "headers": mail.headers,
        "tags": mail.tags,
        "attachments": [attachment(file) for file in mail.files],
    }
    if mail.template:
        params["template"] = {"id": mail.template["id"], "variables": mail.template["data"]}
    else:
        params.update({name: text for name, text in (("text", mail.text), ("html", mail.html)) if text is not None})
    resend.Emails.send(params)


def attachment(file):
    inline = {"content_id": file["contentId"]} if file["contentId"] else {}
    # The documented form is a list of bytes; Base64 is smaller for large files.
    content = list(file["bytes"]) if len(file["bytes"]) < 1000 else file["content"]
    return {"filename": file["filename"], "content_type": file["contentType"], "content": content, **inline}


send_all(start)
