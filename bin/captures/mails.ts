import type {SendMailOptions} from 'nodemailer';

/** Names of the inboxes; the last one made is the first in the list. */
export const inboxes = ['newsletter', 'orders', 'ご登録', 'password reset', 'sign-up'] as const;

export type Sample = SendMailOptions & {
	/** The time of its arrival. */
	readonly at: string;
	readonly inbox: (typeof inboxes)[number];
	readonly from: string;
	readonly subject: string;
};

const logo = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mO4JNeDFTEMLQkAMHNfAaTnKaUAAAAASUVORK5CYII=',
	'base64',
);

const confirmation = `<!doctype html><html><head><title>Confirm your sign-up</title></head><body>
<img src="cid:logo@acme.example" alt="Acme">
<h1>Welcome to Acme, Zoë</h1>
<p>Your verification code is <b>482193</b>. It is good for ten minutes.</p>
<p><a href="https://app.acme.example/confirm?token=kX93-aQ7f">Confirm your address</a></p>
<ul><li>Invite your team</li><li>Connect your shop</li><li>Send the first invoice</li></ul>
<p>Questions? <a href="https://help.acme.example">We are here to help.</a></p>
</body></html>`;

/** Mails as an app in development sends them, the oldest first. */
export const samples: readonly Sample[] = [
	{
		at: '2026-03-04T08:55:12Z',
		inbox: 'orders',
		from: 'shop@acme.example',
		subject: 'Order 4821 has left our warehouse',
		text: 'Your order is on its way.\n\nhttps://track.acme.example/4821\n',
	},
	{
		at: '2026-03-04T08:58:40Z',
		inbox: 'newsletter',
		from: 'news@acme.example',
		subject: 'What is new in March',
		text: 'Three new things.\n',
	},
	{
		at: '2026-03-04T09:02:31Z',
		inbox: 'password reset',
		from: 'security@acme.example',
		subject: 'Reset your password',
		text: 'https://app.acme.example/reset?token=T0k3n\n',
	},
	{
		at: '2026-03-04T09:04:55Z',
		inbox: 'sign-up',
		from: 'hello@acme.example',
		subject: 'Welcome to Acme 🎉',
		text: 'Hello Zoë,\n\nwelcome to Acme.\n',
	},
	{
		at: '2026-03-04T09:11:02Z',
		inbox: 'sign-up',
		from: 'info@ichiba.example',
		subject: '【市場】ご登録ありがとうございます',
		text: '山田様\n\nご登録ありがとうございます。\n確認コード: 730184\n',
	},
	{
		at: '2026-03-04T09:16:47Z',
		inbox: 'sign-up',
		from: 'zakaz@lavka.example',
		subject: 'Ваш заказ 4821 подтверждён',
		text: 'Спасибо за заказ.\n',
	},
	{
		at: '2026-03-04T09:23:20Z',
		inbox: 'sign-up',
		from: 'ahlan@souq.example',
		subject: 'مرحبا بك في السوق',
		text: 'مرحبا بك\n',
	},
	{
		at: '2026-03-04T09:30:08Z',
		inbox: 'sign-up',
		from: 'billing@acme.example',
		subject: 'Your invoice for order 4821',
		text: 'The invoice is attached.\n',
		attachments: [
			{filename: 'invoice-4821.pdf', content: Buffer.alloc(48_200), contentType: 'application/pdf'},
			{filename: '請求書.pdf', content: Buffer.alloc(51_300), contentType: 'application/pdf'},
			{filename: 'terms.txt', content: Buffer.alloc(2100, 'x'), contentType: 'text/plain'},
		],
	},
	{
		at: '2026-03-04T09:41:26Z',
		inbox: 'sign-up',
		from: 'hello@acme.example',
		subject: 'Confirm your sign-up',
		text: [
			'Welcome to Acme, Zoë 👋',
			'',
			'Your verification code is 482193. It is good for ten minutes.',
			'',
			'Confirm your address: https://app.acme.example/confirm?token=kX93-aQ7f',
			'',
			'- Invite your team',
			'- Connect your shop',
			'- Send the first invoice',
			'',
			'Questions? https://help.acme.example',
			'',
		].join('\n'),
		html: confirmation,
		attachments: [
			{filename: 'logo.png', content: logo, cid: 'logo@acme.example'},
			{filename: 'getting started.pdf', content: Buffer.alloc(182_400), contentType: 'application/pdf'},
		],
	},
];
