import {droppedByFault, type RefusalStage} from '../contract/constants.js';
import {readableAddress} from '../domain/mail/address.js';
import type {NewRefusal} from '../services/refusals.js';
import {beginsHandshake} from './client-hello.js';
import {FaultyConnection} from './faulty-connection.js';
import {explainHandshake} from './handshake-failure.js';
import {addressIn, commandStage, refuses} from './refused.js';
import {enhancedCodes} from './reply.js';

/** A command whose address is taken as it is, without parameters: what all of the below, and the library, comes to then. */
const plainCommand = /^(mail from|rcpt to):<([\w.+-]+@(?!.*xn--)[\w.-]+)>$/i;

/** A connection of the library that emits `refused` with what it refuses, and with what fails. */
export abstract class TellingConnection extends FaultyConnection {
	/** Of the last command that began. */
	#stage: RefusalStage = 'connect';
	/** The address that it names, as far as it can be read. */
	#address: string | null = null;

	override upgrade(callback: () => void, secureCallback?: () => void): void {
		this.#stage = 'tls';
		super.upgrade(callback, secureCallback);
	}

	/**
	 * With the domain as the client spells it, readable. The library decodes all that begins like punycode: what is none
	 * (`xn--shop-.test`) becomes the domain of somebody else. It also ends the address at the first blank, quoted or not.
	 */
	override _parseAddressCommand(
		name: string,
		command: Buffer | string,
	): ReturnType<FaultyConnection['_parseAddressCommand']> {
		const [, verb, plain = ''] = plainCommand.exec(command.toString()) ?? [];
		if (verb?.toLowerCase() === name) {
			this.#address = plain;
			return {address: plain, args: false};
		}

		const parsed = super._parseAddressCommand(name, command);
		if (!parsed || !isParameters(parsed.args) || !closesQuotes(parsed.address)) {
			this.#address = addressIn(command);
			return false;
		}

		const at = parsed.address.lastIndexOf('@');
		const [, domain = ''] = /@([^@<>]*)>/.exec(command.toString()) ?? [];
		const address = at >= 0 ? readableAddress(`${parsed.address.slice(0, at)}@${domain}`) : parsed.address;
		this.#address = address;
		return {...parsed, address};
	}

	override _onCommand(command: Buffer, callback?: () => void): void {
		// What follows AUTH is a secret.
		if (!this._nextHandler) {
			this.#stage = commandStage(command);
			this.#address = null;
		}

		super._onCommand(command, callback);
	}

	override send(code: number, data?: string | string[] | null, context?: string | false): void {
		const isByFault = this.hasManner;
		super.send(code, data, enhancedCodes.get(data) ?? context);
		if (
			code >= 400 &&
			(isByFault || refuses(this.#stage, Boolean(this.session.envelope?.mailFrom), code, String(data)))
		) {
			this.#noteRefusal(this.session.error ?? null, String(data));
		}
	}

	/** A connection that failed. */
	noteFailure(error: Error): void {
		if (!this.isReceiving) {
			this.#noteRefusal(null, `the connection failed: ${error.message}`);
		}
	}

	override noteDrop(): void {
		this.#noteRefusal(null, droppedByFault);
	}

	override noteHandshakeFailure(reason: string): void {
		this.#stage = 'tls';
		// It has no address when it left before it was looked at, as those do that look for open ports.
		if (this.remoteAddress !== '') {
			this.#noteRefusal(
				null,
				this.servername === null ? reason : `${reason}; requested server name: ${this.servername}`,
			);
		}
	}

	override _onError(error: NodeJS.ErrnoException): void {
		this.#noteUnused(error);
		super._onError(error);
	}

	override _onClose(): void {
		if (this.isReceiving && !this._closing) {
			this.#noteRefusal(null, 'the client disconnected before the end of its mail');
		} else if (!this._closing) {
			this.#noteUnused();
		}

		super._onClose();
	}

	/** 452 without a context is sent for what is about the system as a whole (RFC 3463, section 3.4). */
	override _getEnhancedStatusCode(code: number, context?: string | false): string {
		if (context && /^\d\.\d\.\d+$/.test(context)) {
			return context;
		}

		return super._getEnhancedStatusCode(code, code === 452 ? (context ?? 'SYSTEM_FULL') : context);
	}

	/** A mail is coming. */
	protected get isReceiving(): boolean {
		return this._parser !== false && this._parser._dataMode;
	}

	/** Ends a client that begins with TLS where it is to be asked for first. It takes the greeting for a broken handshake. */
	protected expectNoHandshake(): void {
		if (!this.secure) {
			this._socket.prependOnceListener('data', bytes => {
				if (beginsHandshake(bytes)) {
					this.#stage = 'tls';
					this.end('This port does not support implicit TLS', false);
				}
			});
		}
	}

	/** A session that ends after the handshake, and before a command. */
	#noteUnused(error?: NodeJS.ErrnoException): void {
		if (this.#stage === 'tls' && this.secure && !this._upgrading) {
			this.noteHandshakeFailure(explainHandshake(error, true));
			this.#stage = 'connect';
		}
	}

	#noteRefusal(reply: string | null, text: string): void {
		const {remoteAddress: host, hostNameAppearsAs: helo} = this;
		const recipients = this.session.envelope?.rcptTo.map(({address}) => address) ?? [];
		const address = this.#stage === 'auth' ? (/^<([^<>]*)>: /.exec(text)?.[1] ?? null) : this.#address;
		const addresses = this.#stage === 'data' && recipients.length > 0 ? recipients : [address];
		const heading = [`${this.name} `, 'Error: ', `<${address}>: `].find(start => text.startsWith(start)) ?? '';
		const reason = text.slice(heading.length);
		const [client, ids] = [{host, helo: helo || null}, {session: this.id}];
		const refused: NewRefusal = {client, stage: this.#stage, addresses, reply, reason, ids};
		this.emit('refused', refused);
	}
}

/** Whether what follows the address can be that (RFC 5321, section 4.1.2, `esmtp-keyword`), and not more of an address. */
function isParameters(args: object | false): boolean {
	return Object.keys(args || {}).every(keyword => /^[a-z\d][a-z\d-]*$/i.test(keyword));
}

/** Whether each quoted string in the address (RFC 5321, section 4.1.2) ends in it. */
function closesQuotes(address: string): boolean {
	return /^(?:"(?:[^"\\]|\\.)*"|[^"])*$/.test(address);
}
