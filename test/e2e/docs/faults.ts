import {expect} from 'vitest';
import {mailText, type Stories, serveApp} from './world.js';

const manifest = JSON.stringify({scripts: {test: '! tinbox send "$TINBOX_ADDRESS"'}});

export const faultStories: Stories = {
	'When mail goes wrong: sh': {
		needs: ['curl'],
		async run(code, world) {
			const send = `tinbox send "$email" --subject 'Confirm it' --text '${mailText}'`;
			const sent: Array<Promise<string>> = [];
			await serveApp(world, async email => {
				// An app that tries again until its mail is taken.
				sent.push(world.sh(`until ${send}; do tinbox faults wait "$email" greylist; done`, {email}));
				return 202;
			});
			const printed = await world.sh(code);
			expect(printed).toContain('answered 451 4.7.1 Greylisted, try again later');
			expect(printed).toContain('Confirm it');
			await Promise.all(sent);
		},
	},
	'When mail goes wrong: output': {
		async run(code, {sh}) {
			const printed = await sh(`
				addr=$(tinbox inbox create --fault greylist)
				tinbox send "$addr" --from shop@example.com 2> /dev/null || true
				tinbox faults wait "$addr" greylist --count 2 --timeout 1s 2>&1 || echo "$addr"`);
			const [, address = ''] = /(\S+)$/.exec(printed) ?? [];
			const told = code.replaceAll('k3v9@tinbox.test', address).replace('60s', '1s');
			expect(printed.replace(/\d\d:\d\d:\d\d/, '12:00:03').replace(/\(\S+\)/, '(app)')).toContain(told);
		},
	},
	'Faults of your own: sh': {
		async run(code, {files, sh}) {
			await files({'package.json': manifest});
			const printed = await sh(`addr=$(tinbox inbox create)\n${code}`);
			expect(printed).toMatch(/^drop-after-commit\tend\tkept, then dropped without a reply; once\t0\t0\t/m);
			expect(printed).toMatch(
				/^\tend\t451 4\.3\.0 Try again later; once for each message; for subject "\/\^Order\/"\t0\t0\t/m,
			);
		},
	},
};
