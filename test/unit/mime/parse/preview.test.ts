import {Readable} from 'node:stream';
import {expect, test} from 'vitest';
import {previewDocument} from '../../../../src/mime/worker.js';

/** Preview document of a mail with HTML and images by content id. */
async function documentOf(html: string, images: Readonly<Record<string, string>>): Promise<string> {
	const parts = Object.entries(images).map(
		([id, bytes]) => `--b\r\nContent-Type: image/png\r\nContent-ID: <${id}>\r\n\r\n${bytes}\r\n`,
	);
	const source = `Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n${html}\r\n${parts.join('')}--b--\r\n`;
	return Buffer.from(await previewDocument(Readable.from([Buffer.from(source)]))).toString();
}

test('each reference to an inline image is replaced by its data', async () => {
	const html = await documentOf('<img src="cid:a"><img src=\'CID:a\'><p style="background: url( cid:a )">', {
		a: 'pixel',
	});
	const address = `data:image/png;base64,${Buffer.from('pixel').toString('base64')}`;
	expect(html).toBe(
		`<base target="_blank"><img src="${address}"><img src='${address}'><p style="background: url( ${address} )">`,
	);
});

test('many references to a large image keep the document within its maximum size', async () => {
	const html = await documentOf('<img src="cid:a">'.repeat(2000), {a: `${'x'.repeat(900)}\r\n`.repeat(2000)});
	expect(html.length).toBeLessThan(34 * 1024 * 1024);
	expect(html.split('data:image/png').length).toBeGreaterThan(10);
	expect(html.match(/src="cid:a"/g)?.length).toBeGreaterThan(1900);
});

test('content ids that partially match the HTML are searched in linear time', {timeout: 20_000}, async () => {
	const almost = 'q'.repeat(4000);
	const images = Object.fromEntries(Array.from({length: 200}, (_, index) => [`${index}x${almost}`, 'pixel']));
	const html = await documentOf(`<!--${'q'.repeat(1_000_000)}--><img src="cid:7x${almost}">`, images);
	expect(html.split('data:image/png').length).toBe(2);
});
