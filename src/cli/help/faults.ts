import {faultPresets} from '../../contract/fault-presets.js';
import {twoColumns} from './two-columns.js';

/** Local parts that trigger a fault, after the name of an inbox. */
const faultAddresses: Readonly<Record<string, string>> = {
	'signup+fail-451@…': 'reject the recipient with 451',
	'signup+fail-550-5.1.1@…': 'the same with an enhanced code',
	'signup+fail+550+no+such+user@…': 'the same with a text',
	'signup+greylist@…': 'reject the first attempt, accept the next one',
	'signup+delay-5s@…': 'delay the reply to the recipient by 5 seconds',
	'signup+drop@…': 'close the connection instead of replying',
	'signup+drop-after-commit@…': 'keep the mail, then close the connection without a reply',
	'signup+bounce+550+no+such+user@…': 'accept the mail, then send a bounce to its sender',
	'signup+complain@…': 'the same with a spam complaint',
	'signup+autoreply@…': 'the same with an automatic reply',
};

/** The text of `tinbox help faults`. */
export function faultsTopic(): string {
	const presets = Object.entries(faultPresets).map(
		([name, {description, fault}]) => [name, `${fault.stage}: ${description}`] as const,
	);
	return `A fault simulates a delivery failure in a repeatable way, to test how the app reacts. Faults belong to an inbox:

  addr=$(tinbox inbox create --fault greylist)     reject each first attempt
  tinbox faults add "$addr" tarpit --to ann        add a second fault
  tinbox faults wait "$addr" greylist              print hits; 124 on timeout
  tinbox faults hits "$addr"                       list all hits
  tinbox faults clear "$addr"                      delete all faults

If several faults match, the first one acts. In "tinbox watch", press F to see faults live. To receive a webhook for each hit: tinbox webhooks create <url> --event fault.hit

Presets, with the stage of the session:

${twoColumns(presets)}

Flags set or override each field. Without a preset, --stage is required:

  tinbox faults add "$addr" mailbox-full --times 3
  tinbox faults add "$addr" rate-limit --rate 2/10s
  tinbox faults add "$addr" --stage end --reply "451 4.3.0 Try again later" \\
    --per message --times 1 --subject /^Order/

Number of hits:
  --after        skip the first matches
  --times        maximum number of hits
  --per          count per recipient or per message
  --probability  hit at random; --seed makes it repeatable
  --ttl          lifetime of the fault

--drop before, mid or after-commit closes the connection. --delay and --byte-delay slow down the reply.

The stages are connect, helo, starttls, auth, mail, rcpt, data and end (after the final dot). The inbox of a connection is unknown at connect, helo and starttls, so an inbox cannot have faults there. At auth and mail, its faults apply only to clients that log in as the inbox. Faults of the daemon apply to all connections:

  tinbox faults add --daemon tls-fail
  tinbox run --fault greylist -- npm test

Fault addresses trigger a fault through the recipient, without a command. For the inbox "signup":

${twoColumns(Object.entries(faultAddresses))}

If an inbox has exactly that address, it receives the mail normally. --no-fault-addresses disables fault addresses for the daemon.`;
}
