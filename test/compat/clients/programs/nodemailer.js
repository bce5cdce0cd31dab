import nodemailer from 'nodemailer';

const {
	SMTP_HOST: host,
	SMTP_PORT: port,
	SMTP_NAME: servername,
	IMPLICIT,
	UNVERIFIED,
	MAIL_FROM: from,
	MAIL_TO: to,
} = process.env;

/** @type {import('node:tls').ConnectionOptions} */
const unverified = {rejectUnauthorized: false, minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0'};
const transport = nodemailer.createTransport({
	host,
	port: Number(port),
	secure: IMPLICIT === '1',
	requireTLS: true,
	tls: {...(servername && {servername}), ...(UNVERIFIED === '1' && unverified)},
});
await transport.sendMail({from, to, subject: 'Hello', text: 'Hello.'});
