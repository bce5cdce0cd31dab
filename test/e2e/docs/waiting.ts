import {expect} from 'vitest';
import {mailText, type Stories} from './world.js';

export const waitingStories: Stories = {
	'Waiting for the right mail: sh': {
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
	'Waiting for the right mail: output': {
		async run(code, {sh}) {
			const printed = await sh(`
				addr=$(tinbox inbox create)
				tinbox send "$addr" --from hello@shop.example --subject 'Welcome, {{name}}'
				tinbox send k3v8@tinbox.test 2> /dev/null || true
				tinbox messages wait "$addr" --subject Confirm --timeout 1s --field code 2>&1 || echo "$addr"`);
			const [, address = ''] = /(\S+)$/.exec(printed) ?? [];
			const told = code.replaceAll('k3v9@tinbox.test', address).replace('60s', '1s');
			expect(printed.replace(/just now|\d+ s ago/, '59 s ago')).toContain(told);
		},
	},
	'An inbox for each app: sh': {
		async run(code, {sh}) {
			const lines = (await sh(`${code}\necho "$SMTP_USER $SMTP_PASSWORD"`)).split('\n');
			const [user = '', password = ''] = (lines.at(-1) ?? '').split(' ');
			expect(lines[0]).toContain('Test message');
			expect(lines).toContain(`username\t${user}`);
			expect(lines.join('\n')).toMatch(/^password\ttbx_smtp_[\w-]{32}$/m);
			expect(lines).not.toContain(`password\t${password}`);
		},
	},
	'The HTTP API: sh': {
		needs: ['curl'],
		async run(code, {sh}) {
			const printed = await sh(`
				eval "$(tinbox daemon start --format env)"
				id=$(tinbox inbox create --json=id | cut -d '"' -f 4)
				tinbox send "$id" --subject 'Confirm it' &
				${code}`);
			expect(JSON.parse(printed.slice(printed.indexOf('[')))).toMatchObject([{subject: 'Confirm it'}]);
		},
	},
};
