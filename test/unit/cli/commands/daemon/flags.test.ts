import {Command} from 'commander';
import {expect, test} from 'vitest';
import {addDaemonFlags, daemonFlags} from '../../../../../src/cli/control/settings.js';

test.each<{args: readonly string[]; flags: object}>([
	{args: [], flags: {}},
	{args: ['--no-fault-addresses'], flags: {noFaultAddresses: 'true'}},
	{args: ['--catch-all', '--smtp-port', '0'], flags: {catchAll: 'true', smtpPort: '0'}},
	{args: ['--host-names', 'a', '--host-names', 'b'], flags: {hostNames: 'a,b'}},
])('the daemon flags $args yield only the settings that they set', ({args, flags}) => {
	const command = addDaemonFlags(new Command());
	command.parse(args, {from: 'user'});
	expect(daemonFlags(command.opts())).toEqual(flags);
});
