import {createTransport} from 'nodemailer';
import {expect, onTestFinished, test} from 'vitest';
import {RawClient, startServer} from './test-server.js';

const data = 'Subject: x\r\n\r\nx\r\n.';

test('decoded DSN parameters are stored with the envelope', async () => {
	const {port, mails} = await startServer();
	const client = await RawClient.open(port);
	expect(client.output).toContain('250-DSN\r\n');
	await client.say('MAIL FROM:<app@example.test> RET=hdrs ENVID=order+2B7');
	await client.say('RCPT TO:<joe@tinbox.test> NOTIFY=success,FAILURE,SUCCESS ORCPT=rfc822;Joe+2Bold@example.test');
	await client.say('RCPT TO:<ann@tinbox.test>');
	await client.say('RCPT TO:<eve@tinbox.test> NOTIFY=NEVER');
	await client.say('DATA');
	await client.say(data);
	expect(mails[0]?.envelope).toEqual({
		from: 'app@example.test',
		to: ['joe@tinbox.test', 'ann@tinbox.test', 'eve@tinbox.test'],
		dsn: {
			ret: 'HDRS',
			envid: 'order+7',
			recipients: {
				'joe@tinbox.test': {notify: ['SUCCESS', 'FAILURE'], orcpt: 'rfc822;Joe+old@example.test'},
				'eve@tinbox.test': {notify: ['NEVER']},
			},
		},
	});
});

test('DSN parameters of nodemailer are stored', async () => {
	const {port, mails} = await startServer();
	const transport = createTransport({host: '127.0.0.1', port, secure: false});
	onTestFinished(() => transport.close());
	const dsn = {id: 'some random id', return: 'full', notify: ['failure', 'delay'], recipient: 'ann@example.test'};
	await transport.sendMail({from: 'app@example.test', to: 'joe@tinbox.test', text: 'x', dsn});
	expect(mails[0]?.envelope.dsn).toEqual({
		ret: 'FULL',
		envid: 'some random id',
		recipients: {'joe@tinbox.test': {notify: ['FAILURE', 'DELAY'], orcpt: 'rfc822;ann@example.test'}},
	});
});

test.each([
	'RET=some',
	'RET',
	'ENVID=',
	'ENVID=a+0D+0Ab',
	'ENVID=caf+E9',
	`ENVID=${'x'.repeat(101)}`,
	'ENVID=a ENVID=b',
])('MAIL with the invalid parameter %s is rejected', async parameter => {
	const {port, refused} = await startServer();
	const client = await RawClient.open(port);
	expect(await client.say(`MAIL FROM:<app@example.test> ${parameter}`)).toMatch(/^501 5\./);
	expect(refused).toMatchObject([{stage: 'mail'}]);
	expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
});

test.each(['NOTIFY=SOMETIMES', 'NOTIFY=NEVER,DELAY', 'NOTIFY', 'ORCPT=joe', `ORCPT=rfc822;${'x'.repeat(500)}`])(
	'RCPT with the invalid parameter %s is rejected',
	async parameter => {
		const {port, refused} = await startServer();
		const client = await RawClient.open(port);
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say(`RCPT TO:<joe@tinbox.test> ${parameter}`)).toMatch(/^501 5\./);
		expect(refused).toMatchObject([{stage: 'rcpt', addresses: ['joe@tinbox.test']}]);
		expect(await client.say('RCPT TO:<joe@tinbox.test>')).toMatch(/^250 /);
	},
);

test('DSN parameters of a rejected MAIL and of the previous mail are ignored', async () => {
	const {port, mails} = await startServer();
	const client = await RawClient.open(port);
	await client.say(`MAIL FROM:<app@example.test> RET=FULL ENVID=${'x'.repeat(101)}`);
	await client.beginMail();
	await client.say(data);
	await client.say('MAIL FROM:<app@example.test> RET=FULL');
	await client.say('RCPT TO:<joe@tinbox.test> NOTIFY=DELAY');
	await client.say('RSET');
	await client.beginMail();
	await client.say(data);
	expect(mails.map(({envelope}) => envelope)).toEqual(
		Array(2).fill({from: 'app@example.test', to: ['joe@tinbox.test']}),
	);
});
