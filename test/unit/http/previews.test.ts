import {createHash} from 'node:crypto';
import {expect, test} from 'vitest';
import {apiClient} from '../../../src/client/index.js';
import {openTinbox} from '../../helpers/tinbox.js';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const mail = [
	'From: Ann <ann@example.com>',
	'Subject: Hello <b>&amp;</b>',
	'MIME-Version: 1.0',
	'Content-Type: multipart/related; boundary=x',
	'',
	'--x',
	'Content-Type: text/html',
	'',
	'<!doctype html><script>alert(1)</script><img src="cid:logo%40x"><img src="http://elsewhere.example/p.gif">cid:logo@x',
	'--x',
	'Content-Type: image/png',
	'Content-ID: <logo@x>',
	'Content-Disposition: attachment; filename="../a<b>.png"',
	'Content-Transfer-Encoding: base64',
	'',
	pixel,
	'--x--',
	'',
].join('\r\n');

async function openPreview(source = mail) {
	const tinbox = await openTinbox();
	const ann = await tinbox.user('ann');
	const client = apiClient({url: tinbox.url, apiKey: ann.key});
	const inbox = await client.inboxes.create();
	await tinbox.deliver(inbox.email_address, source);
	const [message] = await client.messages.list(inbox.id);
	const {url, expires_at: expiresAt} = await client.messages.preview(inbox.id, message?.id ?? '');
	return {tinbox, ann, client, inbox, message, url, expiresAt};
}

async function read(url: string): Promise<string> {
	return (await fetch(url)).text();
}

test('a preview link shows one message without credentials, on a page that runs only its own script', async () => {
	const {url, tinbox, expiresAt} = await openPreview();
	expect(url.startsWith(`${tinbox.url}/previews/`)).toBe(true);
	expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(10 * 60_000);
	const response = await fetch(url);
	expect(response.status).toBe(200);
	expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
	expect(response.headers.get('Referrer-Policy')).toBe('no-referrer');
	expect(response.headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
	const policy = response.headers.get('Content-Security-Policy');
	const page = await response.text();
	const [style, script] = ['style', 'script'].map(tag => {
		const [, text = '', ...more] = page.split(new RegExp(`</?${tag}>`));
		expect(more).toHaveLength(1);
		return createHash('sha256').update(text).digest('base64');
	});
	expect(policy).toBe(
		`default-src 'none'; style-src 'sha256-${style}'; script-src 'sha256-${script}'; ` +
			"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	);
	expect(page).toContain('Hello &#60;b&#62;&#38;amp;&#60;/b&#62;');
	expect(page).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
});

test('the HTML of a mail is sandboxed with its inline images, and loads remote images only on request', async () => {
	const {url} = await openPreview();
	const response = await fetch(`${url}/html`);
	const policy = response.headers.get('Content-Security-Policy');
	expect(policy).toBe(
		"sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data:; " +
			"style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'self'",
	);
	const html = await response.text();
	expect(html).toContain(`<img src="data:image/png;base64,${pixel}">`);
	expect(html).toMatch(/^<!doctype html><base target="_blank">/);
	expect(html).toContain('>cid:logo@x');

	const remote = await fetch(`${url}/html?remote=1`);
	expect(remote.headers.get('Content-Security-Policy')).toContain('img-src data: http: https:;');
	expect(await (await fetch(`${url}?remote=1`)).text()).toContain('/html?remote=1"');
});

test('elements that browsers load regardless of the policy are neutralized', async () => {
	const {url} = await openPreview(
		'Content-Type: text/html\r\n\r\n<LINK rel=preconnect href=//a.example><linked><iframe src=//b.example>none</iframe>\r\n',
	);
	expect(await (await fetch(`${url}/html`)).text()).toContain(
		'<meta rel=preconnect href=//a.example><linked><x-iframe src=//b.example>none</x-iframe>',
	);
});

test('a preview shows what could not be parsed', async () => {
	const {url} = await openPreview(
		'Subject: Odd\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nHello\r\n',
	);
	expect(await read(url)).toMatch(/<p class="notice">.+<\/p>/);
});

test('a preview shows that a field has too many addresses', async () => {
	const {url, message} = await openPreview(`Cc: ${'a@x.test,'.repeat(1001)}\r\n\r\n`);
	expect(message?.cc).toHaveLength(1000);
	const warning = 'A header field is too long or has too many addresses. Only its beginning is listed.';
	expect(message?.warnings).toEqual([warning]);
	expect(await (await fetch(url)).text()).toContain(`<p class="notice">${warning}</p>`);
});

test('the frame that measures HTML has the origin of its page, without popups and remote images', async () => {
	const {url} = await openPreview();
	const response = await fetch(`${url}/html?measured=1&remote=1`);
	expect(response.headers.get('Content-Security-Policy')).toBe(
		"sandbox allow-same-origin; default-src 'none'; img-src data:; " +
			"style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'self'",
	);
});

test('a preview offers remote images only if there are some', async () => {
	const mails: ReadonlyArray<readonly [html: string, hasImages: boolean]> = [
		['<img src="https://x.test/a.png">', true],
		["<IMG SRC = '//x.test/a.png'>", true],
		['<img srcset=http://x.test/a.png>', true],
		['<td background="http://x.test/a.png">', true],
		['<p style="background:url(&quot;https://x.test/a.png&quot;)">', true],
		['<style>p {background: url( "https://x.test/a.png" )}</style>', true],
		['<base href="https://x.test/"><img src="a.png">', true],
		['<a href="https://x.test/">https://x.test/ src</a><img src="cid:a"><img src="data:image/png;base64,//8=">', false],
		[`<img src${' '.repeat(400_000)}>${'src='.repeat(10_000)}${' '.repeat(50_000)}`, false],
	];
	const {tinbox, client, inbox} = await openPreview();
	for (const [html, hasImages] of mails) {
		const body = html.replace(/.{500}/g, '$&\r\n');
		await tinbox.deliver(inbox.email_address, `Content-Type: text/html\r\n\r\n${body}\r\n`);
		const {url} = await client.messages.preview(inbox.id, 'latest');
		expect((await read(url)).includes('Load remote images'), html.slice(0, 100)).toBe(hasImages);
		expect(await read(`${url}?remote=1`)).toContain('Block remote images');
	}
});

test('HTTP links in a text are clickable and do not learn the address of the page', async () => {
	const {url} = await openPreview(
		'\r\nSee <https://x.test/a?b=1&c="2>, (HTTP://x.test/b). javascript:alert(1) ftp://x.test https://[x\r\n',
	);
	const attributes = 'target="_blank" rel="noopener noreferrer"';
	expect(await read(url)).toContain(
		'<pre>\nSee &#60;' +
			`<a href="https://x.test/a?b=1&#38;c=&#34;2" ${attributes}>https://x.test/a?b=1&#38;c=&#34;2</a>&#62;, (` +
			`<a href="HTTP://x.test/b" ${attributes}>HTTP://x.test/b</a>). javascript:alert(1) ftp://x.test https://[x`,
	);
});

test('codes and links are shown above every view, the first three links directly', async () => {
	const links = [1, 2, 3, 4].map(number => `<a href="https://x.test/?a=&quot;${number}">Page <b>${number}</b></a>`);
	const {url} = await openPreview(
		`Subject: Sign in\r\nContent-Type: text/html\r\n\r\n<p>Your code is 482193.</p>${links.join(' ')}\r\n`,
	);
	for (const view of ['html', 'text', 'headers', 'source']) {
		const page = await read(`${url}?view=${view}`);
		expect(page).toContain('<code id="code-0">482193</code> <button type="button" value="code-0"');
		expect(page).toMatch(
			/<a id="link-0" href="https:\/\/x\.test\/\?a=&#34;1" target="_blank" rel="noopener noreferrer">/,
		);
		expect(page.indexOf('link-2')).toBeLessThan(page.indexOf('<summary>1 more</summary>'));
	}
});

test('the header and source views show hidden characters', async () => {
	const {url} = await openPreview('Subject: =?utf-8?q?H=C3=A4?= <b>\r\nX-Odd: a\x1bb\r\n\r\n\u200bHi\r\n');
	expect(await read(`${url}?view=headers`)).toMatch(/<pre>\n[^<]*Subject: Hä &#60;b&#62;\nX-Odd: a␛b<\/pre>/);
	expect(await read(`${url}?view=source`)).toMatch(
		/<pre>\n[^<]*Subject: =\?utf-8\?q\?H=C3=A4\?= &#60;b&#62;\nX-Odd: a␛b\n\n&#60;U\+200B&#62;Hi\n<\/pre>/,
	);
});

test('invisible characters in subjects, file names and link texts are shown or removed', async () => {
	const parts = [
		'Content-Type: text/html\r\n\r\n<a href="https://x.test/">Si\u202egn in</a>',
		'Content-Disposition: attachment; filename="\u202efdp.exe"\r\nContent-Type: application/pdf\r\n\r\nx',
	];
	const body = parts.map(part => `--x\r\n${part}\r\n`).join('');
	const {url} = await openPreview(
		`Subject: Sign\u200bup \u202e\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${body}--x--\r\n`,
	);
	const page = await read(url);
	expect(page).toContain('<h1>Sign&#60;U+200B&#62;up </h1>');
	expect(page).toContain('>fdp.exe</a>');
	expect(page).not.toMatch(/[\u200b\u202e]/);
});

test('a large source is truncated on the page and complete in the download', async () => {
	const source = `Subject: Large\r\n\r\n${`${'x'.repeat(98)}\r\n`.repeat(20_000)}The end\r\n`;
	const {url, message} = await openPreview(source);
	const page = await read(`${url}?view=source`);
	expect(page).toContain('Only the first 512 KiB are shown. Download the .eml file for the rest.');
	expect(page.length).toBeLessThan(600_000);
	const response = await fetch(`${url}/raw`);
	expect(response.headers.get('Content-Type')).toBe('message/rfc822');
	expect(response.headers.get('Content-Disposition')).toBe(`attachment; filename="${message?.id}.eml"`);
	expect(response.headers.get('Content-Security-Policy')).toBe("sandbox; default-src 'none'");
	expect((await response.text()).endsWith(source)).toBe(true);
});

test('an invalid preview link gets a page in browsers and a problem in other clients', async () => {
	const {url, tinbox, client, inbox, message} = await openPreview();
	const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
	const guess = `${tinbox.url}/previews/guess`;
	await client.messages.delete(inbox.id, message?.id ?? '');
	for (const address of [url, guess].flatMap(one => ['', '/html', '/raw', '/attachments/1'].map(path => one + path))) {
		const page = await fetch(address, {headers: {accept}});
		expect(page.status).toBe(404);
		expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
		expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
		expect(await page.text()).toContain('<h1>Message not available</h1>');
		const problem = await fetch(address);
		expect(problem.status).toBe(404);
		expect(problem.headers.get('Content-Type')).toBe('application/problem+json');
	}

	expect(await (await fetch(guess, {headers: {accept}})).text()).toContain('Create a new one: tinbox messages open');
});

test('attachments are downloaded with a safe name', async () => {
	const {url, message} = await openPreview();
	const response = await fetch(`${url}/attachments/${message?.attachments[0]?.id}`);
	expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(pixel);
	expect(response.headers.get('Content-Disposition')).toMatch(/^attachment; filename="a_b_\.png"/);
	expect(response.headers.get('Content-Security-Policy')).toBe("sandbox; default-src 'none'");
});

/** Mail with one attachment. */
function attaching(type: string, content: string | Buffer): string {
	return [
		'Content-Type: multipart/mixed; boundary=x',
		'',
		'--x',
		`Content-Type: ${type}`,
		'Content-Disposition: attachment; filename="a<b>.x"',
		'Content-Transfer-Encoding: base64',
		'',
		Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n'),
		'--x--',
		'',
	].join('\r\n');
}

test('images and PDF files can be shown inline, without any permissions', async () => {
	const {tinbox, client, inbox} = await openPreview();
	const types: ReadonlyArray<readonly [said: string, sent: string, frames: string]> = [
		['image/png', 'image/png', "'self'"],
		['image/jpg', 'image/jpeg', "'self'"],
		['IMAGE/WebP', 'image/webp', "'self'"],
		['application/pdf', 'application/pdf', "'none'"],
	];
	for (const [said, sent, frames] of types) {
		await tinbox.deliver(inbox.email_address, attaching(said, '<script>alert(1)</script>'));
		const {url} = await client.messages.preview(inbox.id, 'latest');
		const response = await fetch(`${url}/attachments/1?inline=1`);
		expect(response.headers.get('Content-Type')).toBe(sent);
		expect(response.headers.get('Content-Disposition')).toBe('inline; filename="a_b_.x"');
		expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
		expect(response.headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
		expect(response.headers.get('Content-Security-Policy')).toBe(
			`sandbox; default-src 'none'; frame-ancestors ${frames}`,
		);
		expect(await response.text()).toBe('<script>alert(1)</script>');
	}
});

test('an SVG image is wrapped in a page, because it could run scripts', async () => {
	const drawing = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
	const {url} = await openPreview(attaching('image/svg+xml', drawing));
	const response = await fetch(`${url}/attachments/1?inline=1`);
	expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
	const page = await response.text();
	const [, style = ''] = page.split(/<\/?style>/);
	expect(response.headers.get('Content-Security-Policy')).toBe(
		"sandbox; default-src 'none'; img-src data:; " +
			`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'self'`,
	);
	expect(page).toContain(
		`<title>a&#60;b&#62;.x</title><style>${style}</style><img alt="a&#60;b&#62;.x" ` +
			`src="data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}">`,
	);
});

test.each([
	'text/html',
	'application/xhtml+xml',
	'text/xml',
	'image/svg',
	'image/tiff',
	'constructor',
	'application/zip',
])('an attachment of type %s is never shown inline', async type => {
	const {url} = await openPreview(attaching(type, '<script>alert(1)</script>'));
	const response = await fetch(`${url}/attachments/1?inline=1`);
	expect(response.headers.get('Content-Disposition')).toMatch(/^attachment; /);
	expect(response.headers.get('Content-Security-Policy')).toBe("sandbox; default-src 'none'");
});

test('a large SVG image is downloaded', async () => {
	const {url} = await openPreview(attaching('image/svg+xml', Buffer.alloc(1024 * 1024 + 1, ' ')));
	const response = await fetch(`${url}/attachments/1?inline=1`);
	expect(response.headers.get('Content-Disposition')).toMatch(/^attachment; /);
});

test('a preview shows all parts of a mail, as HTML and as text', async () => {
	const parts = [
		'Content-Type: text/html\r\n\r\n<table><tr><td>Order</td><td>5512</td></tr></table></body>Thanks',
		'Content-Type: text/html\r\n\r\n<p>A list</p>',
		'Content-Type: text/plain\r\n\r\nScanned',
	];
	const body = parts.map(part => `--x\r\n${part}\r\n`).join('');
	const {url} = await openPreview(`Content-Type: multipart/mixed; boundary=x\r\n\r\n${body}--x--\r\n`);
	const [page, frame] = [await read(`${url}?view=text`), await read(`${url}/html`)];
	expect(page).toContain('<pre>\nOrder  5512\n\nThanks\nA list\nScanned</pre>');
	expect(frame).toMatch(/<td>Order<\/td>.*Thanks.*<p>A list<\/p>/s);
});

test('a mail without HTML is shown as escaped text', async () => {
	const {url} = await openPreview('Subject: \r\n\r\n<script>alert(1)</script> "quoted"\r\n');
	const page = await read(url);
	expect(page).toContain('<pre>\n&#60;script&#62;alert(1)&#60;/script&#62; &#34;quoted&#34;');
	expect(page).toContain('(no subject)');
	expect(page).not.toContain('<iframe');
	expect(page).not.toContain('view=html');
});

test('a preview shows To, Cc and a different recipient, with isolated names', async () => {
	const {url, inbox} = await openPreview(
		'From: "\u202e<b>eve" <ann@example.com>\r\nTo: שלום <1@x.test>, b@x.test\r\nCc: Bob <c@x.test>\r\n' +
			'Reply-To: Help <d@x.test>\r\nDate: Fri, 2 Jan 2026 03:04:05 +0100\r\n\r\n',
	);
	const page = await (await fetch(url)).text();
	expect(page).toContain('<dd><bdi>&#34;&#60;b&#62;eve&#34;</bdi> <bdi>&#60;ann@example.com&#62;</bdi></dd>');
	expect(page).toContain('<dt>To</dt><dd><bdi>שלום</bdi> <bdi>&#60;1@x.test&#62;</bdi>, <bdi>b@x.test</bdi></dd>');
	expect(page).toContain('<dt>Cc</dt><dd><bdi>Bob</bdi> <bdi>&#60;c@x.test&#62;</bdi></dd>');
	expect(page).toContain('<dt>Reply-To</dt><dd><bdi>Help</bdi> <bdi>&#60;d@x.test&#62;</bdi></dd>');
	expect(page).toContain('<dt>Date</dt><dd>2026-01-02 02:04:05 UTC</dd>');
	expect(page).toContain('<dt>Session</dt><dd>unencrypted, from 127.0.0.1 (app)</dd>');
	expect(page).toContain(`<dt>Recipient</dt><dd><bdi>${inbox.email_address}</bdi></dd>`);
});

test('a preview link is invalid once its message is deleted', async () => {
	const {url, client, inbox, message, tinbox} = await openPreview();
	for (const path of ['', '/html', '/raw', '/attachments/1']) {
		expect((await fetch(`${tinbox.url}/previews/guess${path}`)).status).toBe(404);
	}

	await client.messages.delete(inbox.id, message?.id ?? '');
	for (const path of ['', '/html', '/raw', '/attachments/1']) {
		expect((await fetch(url + path)).status).toBe(404);
	}
});

test('a preview link expires with its key and its user', async () => {
	const {tinbox, ann, url, inbox, message} = await openPreview();
	const {services} = tinbox;
	const statuses = async (of: string) =>
		Promise.all(['', '/html', '/raw', '/attachments/1'].map(async path => (await fetch(of + path)).status));
	const other = await services.keys.create(ann.user, 'Other');
	const others = apiClient({url: tinbox.url, apiKey: other.raw});
	const {url: fromOther} = await others.messages.preview(inbox.id, message?.id ?? '');
	expect(await statuses(fromOther)).toEqual([200, 200, 200, 200]);
	await services.keys.revoke(ann.user, other.key.id);
	expect(await statuses(fromOther)).toEqual([404, 404, 404, 404]);
	expect(await statuses(url)).toEqual([200, 200, 200, 200]);

	await services.users.delete(ann.user.id);
	expect(await statuses(url)).toEqual([404, 404, 404, 404]);
});

test('no preview link can be created for a message of another user', async () => {
	const {tinbox, inbox, message} = await openPreview();
	const bob = await tinbox.user('bob');
	const bobs = apiClient({url: tinbox.url, apiKey: bob.key});
	await expect(bobs.messages.preview(inbox.id, message?.id ?? '')).rejects.toMatchObject({status: 404});
});
