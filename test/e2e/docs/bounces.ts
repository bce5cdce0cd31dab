import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import {SMTPServer} from 'smtp-server';
import {expect, onTestFinished} from 'vitest';
import type {Stories, Story} from './world.js';

const automaticBounce: Story = {
	async run(code, {sh}) {
		const printed = await sh(code);
		expect(printed).toContain('550 5.1.1 User unknown');
		expect(printed).toContain('Status: 5.1.1');
	},
};

const manualBounce: Story = {
	async run(code, {sh}) {
		const {port, sources} = await startMailServer();
		const printed = await sh(`
			app=$(tinbox inbox create)
			user=$(tinbox inbox create)
			tinbox send "$user" --from "$app" --subject Welcome
			${code.replace('localhost:2525', `localhost:${port}`)}
			tinbox messages list "$app" --json=subject`);
		expect(JSON.parse(printed)).toEqual([
			{subject: 'Complaint about: Welcome'},
			{subject: 'Undelivered Mail Returned to Sender'},
		]);
		expect(sources).toEqual([expect.stringContaining('\r\nSubject: Auto: Welcome\r\n')]);
	},
};

export const stories: Stories = {
	'Bounces: sh': automaticBounce,
	'Bounce a single message: sh': manualBounce,
	'The mailbox simulator of Amazon SES: sh': {
		async run(code, {sh}) {
			const printed = await sh(`${code}
				app=$(tinbox inbox create)
				tinbox send bounce@simulator.test --from "$app"
				tinbox messages wait "$app" --field text`);
			expect(printed).toContain('550 5.1.1 User unknown');
		},
	},
};

/** Starts a mail server that accepts all mail. */
async function startMailServer() {
	const sources: string[] = [];
	const server = new SMTPServer({
		authOptional: true,
		logger: false,
		onData: (stream, _session, done) => void text(stream).then(source => done(null, String(sources.push(source)))),
	});
	const {port} = await new Promise<AddressInfo>(resolve => {
		const listener = server.listen(0, 'localhost', () => resolve(listener.address() as AddressInfo));
	});
	onTestFinished(async () => new Promise<void>(resolve => server.close(() => resolve())));
	return {port, sources};
}
