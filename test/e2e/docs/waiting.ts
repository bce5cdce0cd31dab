import {expect} from 'vitest';
import {isInstalled, mailText, type Stories, serveApp} from './world.js';

/** Stories of `docs/waiting.md`. */
export const stories: Stories = {
	'Waiting for mail: sh': {
		async run(code, {sh}) {
			const printed = await sh(`
				addr=$(tinbox inbox create)
				tinbox send "$addr" --subject 'Confirm it' --text '${mailText}'
				tinbox send "$addr" --subject 'Reset your password' --text 'Go to https://shop.example/reset/abc'
				tinbox send "$addr" --subject 'Welcome'
				${code}
				echo "$code $link"`);
			const lines = printed.split('\n');
			const subjects = lines.slice(0, 3).map(line => JSON.parse(line).subject);
			expect(subjects).toEqual(['Confirm it', 'Reset your password', 'Welcome']);
			expect(lines.at(-1)).toBe('493028 https://shop.example/reset/abc');
		},
	},
	'Only new messages: sh': {
		needs: ['curl'],
		async run(code, world) {
			await serveApp(world, async email => {
				await world.sh(`tinbox send "$email" --text 'Your verification code is 739105.'`, {email});
				return 200;
			});
			const printed = await world.sh(`
				addr=$(tinbox inbox create)
				tinbox send "$addr" --text '${mailText}'
				${code}`);
			expect(printed).toBe('739105');
		},
	},
	'When a wait times out: output': {
		async run(code, {sh}) {
			const printed = await sh(`
				addr=$(tinbox inbox create)
				tinbox send "$addr" --from hello@shop.example --subject 'Welcome to the shop'
				tinbox send k3v8@tinbox.test 2> /dev/null || true
				tinbox messages wait "$addr" --subject Confirm --timeout 1s --field code 2>&1 || echo "$? $addr"`);
			const [, exitCode, address = ''] = /(\d+) (\S+)$/.exec(printed) ?? [];
			expect(exitCode).toBe('124');
			const expected = code.replaceAll('k3v9@tinbox.test', address).replace('60s', '1s');
			expect(printed.replace(/just now|\d+ s ago/, '59 s ago')).toContain(expected);
		},
	},
	'Over HTTP: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const printed = await sh(`
				eval "$(tinbox daemon start --format env)"
				addr=$(tinbox inbox create)
				tinbox send "$addr" --subject 'Confirm it' > sent 2>&1 &
				${code}`);
			expect(JSON.parse(printed)).toMatchObject([{subject: 'Confirm it'}]);
		},
	},
	'Over HTTP: python': {
		needs: ['python3 requests'],
		async run(code, world) {
			const job = `tinbox send "$TINBOX_ADDRESS" --subject 'Confirm it' --text '${mailText}' & python3 wait.py`;
			for (const library of ['requests', 'httpx'].filter(name => isInstalled(`python3 ${name}`))) {
				await world.files({'job.sh': job, 'wait.py': code.replaceAll('requests', library)});
				expect(await world.sh('tinbox run -- sh job.sh')).toBe('493028');
			}
		},
	},
	'Over HTTP: sh 2': {
		needs: ['curl'],
		async run(code, {sh}) {
			const printed = await sh(`
				eval "$(tinbox daemon start --format env)"
				addr=$(tinbox inbox create)
				tinbox send "$addr" --subject Welcome > sent
				${code}`);
			expect(JSON.parse(printed)).toMatchObject({
				misses: [{message: {subject: 'Welcome'}, reasons: [expect.stringContaining('Confirm'), 'It has no code.']}],
				refusals: [],
				hits: [],
				evicted: 0,
			});
		},
	},
};
