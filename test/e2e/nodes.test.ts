import {describe, expect, test} from 'vitest';
import {runScript} from '../helpers/cli.js';
import {describeConcurrency} from '../unit/http/accounts/concurrency.js';
import {type Row, testSelectedRows} from '../unit/http/accounts/rows.js';
import {tables} from '../unit/http/accounts/table/tables.js';
import {DaemonWorld} from './daemon-world.js';
import {hasNoPostgres, useNodes} from './nodes.js';

describe.skipIf(hasNoPostgres)('three nodes on one database', () => {
	const nodes = useNodes();

	test('run the tutorial script with each command sent to the next node', async () => {
		const homes = nodes.all().map(({env}) => env['TINBOX_HOME']);
		const [first] = nodes.all();
		const ran = await runScript(
			{...first?.env, TURNS: `${homes[0]}/turns`},
			`
			homes=(${homes.join(' ')})
			# A file, so that commands in a subshell count, too.
			tinbox() {
				turn=$(cat "$TURNS" 2> /dev/null || echo 0)
				echo $(((turn + 1) % 3)) > "$TURNS"
				TINBOX_HOME=\${homes[turn]} "$NODE" "$BIN" "$@"
			}
			set -e
			addr=$(tinbox inbox create)
			tinbox send "$addr" --subject 'Your code' --text 'Your verification code is 493028.' > /dev/null
			tinbox messages wait "$addr" --timeout 30s --field code
			tinbox messages list "$addr" --json=subject
			tinbox messages show "$addr" --field subject
			tinbox faults add "$addr" greylist > /dev/null
			tinbox send "$addr" --subject Second > /dev/null 2>&1 || echo refused
			tinbox faults wait "$addr" greylist --json=reply
			tinbox faults clear "$addr" > /dev/null
			(sleep 1; tinbox send "$addr" --subject Third) > /dev/null 2>&1 &
			tinbox messages wait "$addr" --subject Third --timeout 30s --field subject
			wait
			tinbox messages delete "$addr" --all > /dev/null
			tinbox messages list "$addr" --json=subject
			tinbox inbox delete "$addr" > /dev/null
			for node in 1 2 3; do tinbox inbox list --json=email_address; done`,
		);
		const reply = JSON.stringify({reply: '451 4.7.1 Greylisted, try again later'});
		const lines = [
			'493028',
			'[{"subject":"Your code"}]',
			'Your code',
			'refused',
			reply,
			'Third',
			'[]',
			'[]',
			'[]',
			'[]',
		];
		expect(ran).toMatchObject({exitCode: 0, stdout: lines.join('\n')});
	});

	describeConcurrency(async () => DaemonWorld.open(...nodes.daemons()));

	for (const [name, table] of Object.entries(tables)) {
		describe(`handle each request of the table of ${name} on the next node:`, () => {
			table(testSelectedRows(async () => DaemonWorld.open(...nodes.daemons()), rowsWithState));
		});
	}
});

/** The first row, and the rows with a precondition or a later check, which involve several nodes. */
function rowsWithState(rows: readonly Row[]): readonly Row[] {
	const [first, ...others] = rows;
	const stateful = others.filter(({before, after}) => before ?? after);
	return first ? [first, ...stateful] : stateful;
}
