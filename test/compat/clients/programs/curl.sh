set -e
[ "$IMPLICIT" = 1 ] && scheme=smtps || scheme=smtp
[ "$UNVERIFIED" = 1 ] && set -- --insecure --tlsv1.0 --ciphers DEFAULT@SECLEVEL=0
name=${SMTP_NAME:-$SMTP_HOST}
printf 'From: %s\r\nTo: %s\r\nSubject: Hello\r\n\r\nHello.\r\n' "$MAIL_FROM" "$MAIL_TO" |
	curl --silent --show-error --max-time 20 --ssl-reqd --connect-to "$name:$SMTP_PORT:$SMTP_HOST:$SMTP_PORT" "$@" \
		--url "$scheme://$name:$SMTP_PORT" --mail-from "$MAIL_FROM" --mail-rcpt "$MAIL_TO" --upload-file -
