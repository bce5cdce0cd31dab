/** Runs an attack in a separate process: `attack-process.js <name>`. A message contains the daemon and the credentials. */
import os from 'node:os';
import {Attacker} from './attacker.js';
import {attacks} from './attacks.js';

process.on('disconnect', () => process.exit());
// Rejected and interrupted requests are expected.
process.on('uncaughtException', () => {});
// A low priority, since a real attacker would not use the processors of the daemon.
os.setPriority(Math.min(os.constants.priority.PRIORITY_LOW, os.getPriority() + 10));
setInterval(() => process.send?.({processorMs: processorMs()}), 100);
process.once('message', async message => {
	const {daemon, headers, victim} = /** @type {any} */ (message);
	try {
		await attacks[process.argv[2] ?? '']?.(new Attacker(daemon, headers, victim));
		process.send?.({isUnderWay: true});
	} catch (error) {
		process.send?.({error: String(error)});
	}
});

/** CPU time of this process. */
function processorMs() {
	const {user, system} = process.cpuUsage();
	return (user + system) / 1000;
}
