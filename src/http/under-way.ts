import type {ServerResponse} from 'node:http';
import type {Socket} from 'node:net';

/** The request that is being answered on a connection. */
type Current = {
	readonly response: ServerResponse;
	/** Whose it is, once that is known. */
	userId?: string;
	waitsForNews?: true;
	bytes: number;
	/** As the last look found: how much had come or gone since the one before, and whether the client is the one to go on. */
	moved: number;
	awaitsClient: boolean;
	/** How many looks in a row found that nothing more had come or gone. */
	stillFor: number;
};

/** Looks that find nothing new, after which a connection can make room, or ends if the client is the one to go on. */
const stillLooks = {makesRoom: 3, ends: 60};

/** How many slow connections everybody keeps, also where others need room. */
const slowEach = 8;

/** What is under way on connections, and whose clients are slow. */
export class UnderWay {
	readonly #current = new Map<Socket, Current>();
	/** Those that can make room, the first one last; known once needed after a look. */
	#canEnd: Socket[] | undefined;

	begin(response: ServerResponse): void {
		this.#current.set(response.req.socket, {response, bytes: -1, moved: 0, awaitsClient: false, stillFor: 0});
	}

	delete(socket: Socket): void {
		this.#current.delete(socket);
	}

	/** Is told more of what is being answered. */
	note(response: ServerResponse, known: Pick<Current, 'userId' | 'waitsForNews'>): void {
		const current = this.#current.get(response.req.socket);
		if (current?.response === response) {
			Object.assign(current, known);
		}
	}

	/** Whether a part of an answer was sent. */
	hasBegun(socket: Socket): boolean {
		return this.#current.get(socket)?.response.headersSent ?? false;
	}

	/** Sees what moved since the last look, about a second ago. Gives those whose clients did nothing for a minute. */
	look(): readonly Socket[] {
		this.#canEnd = undefined;
		for (const [socket, current] of this.#current) {
			const isComplete = current.response.req.complete;
			const isUnread = socket.writableLength > 0;
			const bytes = isComplete ? socket.bytesWritten - socket.writableLength : socket.bytesRead;
			current.awaitsClient = isUnread || !isComplete;
			current.moved = bytes - current.bytes;
			current.bytes = bytes;
			const isStill = current.moved === 0 && (current.awaitsClient || !current.waitsForNews);
			current.stillFor = isStill ? current.stillFor + 1 : 0;
		}

		return [...this.#current]
			.filter(([, {stillFor, awaitsClient}]) => stillFor >= stillLooks.ends && awaitsClient)
			.map(([socket]) => socket);
	}

	/** The one that is to make room first, if there is one; the next one at the next call. */
	leastNeeded(): Socket | undefined {
		this.#canEnd ??= this.#findSlow();
		for (let socket = this.#canEnd.pop(); socket; socket = this.#canEnd.pop()) {
			// Since the look it may have ended, or begun another request.
			const current = this.#current.get(socket);
			if (current && (current.stillFor > 0 || current.awaitsClient)) {
				return socket;
			}
		}

		return undefined;
	}

	/** Whoever has most of them loses one first, the one that has been still for longest, or moved least. */
	#findSlow(): Socket[] {
		const byHolder = new Map<string, Array<[Socket, Current]>>();
		for (const [socket, current] of this.#current) {
			if (current.stillFor >= stillLooks.makesRoom || current.awaitsClient) {
				const {'x-api-key': key, authorization} = current.response.req.headers;
				const holder = current.userId === undefined ? `credential ${key ?? authorization}` : `user ${current.userId}`;
				const held = byHolder.get(holder) ?? [];
				held.push([socket, current]);
				byHolder.set(holder, held);
			}
		}

		return [...byHolder.values()]
			.flatMap(held => [...held.sort(([, a], [, b]) => a.stillFor - b.stillFor || b.moved - a.moved).entries()])
			.filter(([index, [, {stillFor}]]) => index >= slowEach || stillFor >= stillLooks.makesRoom)
			.sort(([a], [b]) => a - b)
			.map(([, [socket]]) => socket);
	}
}
