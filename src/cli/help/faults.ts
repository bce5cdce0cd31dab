import {faultPresets} from '../../contract/fault-presets.js';
import {twoColumns} from './two-columns.js';

/** Addresses that ask for a fault, behind the name of an inbox. */
const magicAddresses: Readonly<Record<string, string>> = {
	'signup+fail-451@…': 'the recipient is refused with 451',
	'signup+fail-550-5.1.1@…': 'the same with an enhanced code',
	'signup+fail+550+no+such+user@…': 'the same with a text',
	'signup+greylist@…': 'the first try is refused, the next one taken',
	'signup+delay-5s@…': 'the recipient is answered 5 seconds late',
	'signup+drop@…': 'the connection ends instead of the answer',
	'signup+drop-after-commit@…': 'the mail is kept, and the connection ends without a reply',
	'signup+bounce+550+no+such+user@…': 'the mail is taken, then a bounce comes back to its sender',
	'signup+complain@…': 'the same with the complaint of a recipient',
	'signup+autoreply@…': 'the same with an automatic reply',
};

/** What `tinbox help faults` prints. */
export function faultsTopic(): string {
	const presets = Object.entries(faultPresets).map(
		([name, {description, fault}]) => [name, `${fault.stage.padEnd(8)}  ${description}`] as const,
	);
	return `What does the app do when mail goes wrong? A fault of an inbox makes it go wrong on purpose, each time in the same way:

  addr=$(tinbox inbox create --fault greylist)       the first try for each recipient is refused
  tinbox faults add "$addr" tarpit --to ann          add as many as you like; the first one that fits acts
  tinbox faults wait "$addr" greylist --count 2      who came when, and what was answered; 124 when nobody came
  tinbox faults hits "$addr"                         all that they did
  tinbox faults clear "$addr"                        and all is well again

Live, "tinbox watch" shows them on F, and a webhook tells of each hit: "tinbox webhooks create <url> --event fault.hit".

The presets, each with the stage of the session where it acts:

${twoColumns(presets)}

Every field has a flag, which also changes a preset; a fault of your own needs --stage:

  tinbox faults add "$addr" mailbox-full --times 3
  tinbox faults add "$addr" --stage end --reply "451 4.3.0 Try again later" --per message --times 1 --subject /^Order/
  tinbox faults add "$addr" rate-limit --rate 2/10s

What counts: --after lets so many pass, --times is how often it acts, --per recipient and --per message count for each by itself,
--probability acts by chance (the same one each time with --seed), and --ttl ends it. --drop before, mid or after-commit ends the
connection, --delay and --byte-delay make the client wait.

The stages are connect, helo, starttls, auth, mail, rcpt, data and end, which is after the last dot. An inbox has no faults at the first
three, as nobody knows then for which inbox a connection is, and at auth and mail only for who logs in as that inbox. In place of an inbox,
--daemon makes a fault of the whole daemon, which all connections meet, as does "tinbox run --fault":

  tinbox faults add --daemon tls-fail
  tinbox run --fault greylist -- npm test

Without any of this, by the recipient's address, where the app knows only that. Before the @ of an inbox, here "signup":

${twoColumns(Object.entries(magicAddresses))}

An inbox that claims such an address itself has its mail as any other. A daemon with --no-fault-addresses knows none of them.`;
}
