import {Exit} from '../../output/exit.js';
import {sysexits} from './sysexits.js';

/** What the arguments of sendmail ask for. */
export type SendmailCall = {
	/** The letters behind `-b`: `m` for mail from stdin, `s` for SMTP; also `q` for `-q`, and so on. */
	mode: string;
	readonly recipients: string[];
	/** `-t`: the header names recipients, too. */
	readsRecipients: boolean;
	/** `-i`: a line with nothing but a dot does not end the mail. */
	ignoresDots: boolean;
	/** `-f`, `-r`; undefined for the user's own address. */
	sender: string | undefined;
	/** The sender is the author that the header names, as msmtp can have it. */
	readsSender: boolean;
	/** `-F`: the name beside the sender. */
	name: string;
	/** `-N`, `-R` and `-V` (RFC 3461), as nodemailer takes them. */
	readonly dsn: {notify?: string[]; return?: 'headers' | 'full'; id?: string};
};

/** What a flag does; for what is not here, the flag configures a mail server, and nothing is done. */
const effects: Readonly<Record<string, (read: SendmailCall, value: string) => void>> = {
	b: (read, value) => (read.mode = value),
	q: read => (read.mode = 'q'),
	I: read => (read.mode = 'i'),
	P: read => (read.mode = 'P'),
	S: read => (read.mode = 'S'),
	t: read => (read.readsRecipients = true),
	i: read => (read.ignoresDots = true),
	o: (read, value) => (read.ignoresDots ||= value === 'i'),
	O: (read, value) => (read.ignoresDots ||= /^IgnoreDots(?:=(?:t|y|1|$).*)?$/i.test(value)),
	f: (read, value) => (read.sender = value),
	r: (read, value) => (read.sender = value),
	F: (read, value) => (read.name = value),
	N: (read, value) => (read.dsn.notify = oneOf('-N', value.toLowerCase().split(','), notices)),
	R: (read, value) =>
		(read.dsn.return = oneOf('-R', [value.toLowerCase()], ['full', 'hdrs'])[0] === 'full' ? 'full' : 'headers'),
	V: (read, value) => (read.dsn.id = value),
};

const notices = ['never', 'success', 'failure', 'delay'];

/**
 * The flags of Sendmail, Postfix, Exim and msmtp by what they take: a value, behind the letter or in the next argument; a value
 * that can only be behind it; none.
 */
const withValue = 'ABCDFLNORVXabefhopr';
const withAttached = 'MQTdq';
const alone = 'EGIPSUcgimnstvx';

/** Of `-o`, those of Exim whose value is the next argument. */
const eximOptions = ['A', 'Ma', 'Maa', 'Mai', 'Mas', 'Mi', 'Mm', 'Mr', 'Ms', 'Mt', 'P', 'PX', 'X'];

/** What flags of msmtp do that have whole words. */
const wordEffects: typeof effects = {
	from: (read, value) => (read.sender = value),
	'read-recipients': read => (read.readsRecipients = true),
	'read-envelope-from': read => (read.readsSender = true),
	pretend: read => (read.mode = 'P'),
	serverinfo: read => (read.mode = 'S'),
	rmqs: read => (read.mode = 'q'),
	version: read => (read.mode = 'V'),
};

/** Those whose value is the next argument where no equals sign is behind them. */
const wordsWithValue = (
	'account aliases domain dsn-notify dsn-return eval file from host logfile logfile-time-format passwordeval port protocol ' +
	'proxy-host proxy-port rmqs socket source-ip timeout tls-cert-file tls-crl-file tls-fingerprint tls-host-override ' +
	'tls-key-file tls-priorities tls-trust-file user'
).split(' ');

/** Reads arguments as these programs do. Throws `Exit`. */
export function readFlags(args: readonly string[]): SendmailCall {
	const read: SendmailCall = {
		mode: 'm',
		recipients: [],
		readsRecipients: false,
		ignoresDots: false,
		sender: undefined,
		readsSender: false,
		name: '',
		dsn: {},
	};
	const rest = [...args];
	for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
		if (arg === '--') {
			read.recipients.push(...rest.splice(0));
		} else if (arg.startsWith('--')) {
			readWord(arg.slice(2), rest, read);
		} else if (arg.startsWith('-') && arg !== '-') {
			readLetters(arg.slice(1), rest, read);
		} else {
			read.recipients.push(arg);
		}
	}

	return read;
}

/** One letter, or several: `tif ann@example.com`. */
function readLetters(letters: string, rest: string[], read: SendmailCall): void {
	const letter = letters.slice(0, 1);
	const behind = letters.slice(1);
	if (alone.includes(letter)) {
		effects[letter]?.(read, '');
		if (behind !== '') {
			readLetters(behind, rest, read);
		}
	} else if (withAttached.includes(letter)) {
		effects[letter]?.(read, behind);
	} else if (withValue.includes(letter)) {
		const value = behind === '' ? nextOf(`-${letter}`, rest) : behind;
		effects[letter]?.(read, value);
		if (letter === 'o' && eximOptions.includes(value)) {
			nextOf(`-o${value}`, rest);
		}
	} else {
		throw wrong(`Unknown flag -${letter}.`);
	}
}

function readWord(text: string, rest: string[], read: SendmailCall): void {
	const [word = '', ...parts] = text.split('=');
	const attached = parts.length === 0 ? undefined : parts.join('=');
	const value = attached ?? (wordsWithValue.includes(word) ? nextOf(`--${word}`, rest) : '');
	wordEffects[word]?.(read, value);
}

function nextOf(flag: string, rest: string[]): string {
	const value = rest.shift();
	if (value === undefined) {
		throw wrong(`${flag} needs a value.`);
	}

	return value;
}

function oneOf(flag: string, values: string[], known: readonly string[]): string[] {
	if (values.some(value => !known.includes(value)) || (values.includes('never') && values.length > 1)) {
		throw wrong(`${flag} must be one of ${known.join(', ')}, got "${values.join(',')}".`);
	}

	return values;
}

function wrong(message: string): Exit {
	return new Exit(sysexits.usage, 'usage', message, {hint: 'See: tinbox sendmail --help'});
}
