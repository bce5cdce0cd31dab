import path from 'node:path';
import {expect} from 'vitest';
import type {Stories} from './world.js';

export const browserStories: Stories = {
	'In the browser: sh': {
		async run(code, {sh, folder}) {
			const script = '#!/bin/sh\\necho "$1" >> visited';
			const printed = await sh(
				`
				tinbox inbox create --name signup > /dev/null
				tinbox send signup --subject 'Confirm it'
				printf '${script}' > browser && chmod +x browser
				${code}
				until [ "$(wc -l < visited)" = 2 ]; do sleep 0.1; done
				cat visited`,
				{BROWSER: path.join(folder, 'browser')},
			);
			const lines = printed.split('\n').slice(-4);
			expect(lines.slice(2)).toEqual(lines.slice(0, 2));
			expect(lines[2]).toMatch(/\/app\/#enter=/);
			expect(lines[3]).toMatch(/\/app\/inboxes\/[\da-f-]{36}\/messages\/[\da-f-]{36}#enter=/);
		},
	},
};
