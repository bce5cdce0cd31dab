/** How many deliveries more a process can send now: of all, of a user, and to an endpoint. */
export type Room = {readonly all: number; ofUser(id: string): number; ofEndpoint(id: string): number};

/** What is left of it, as one delivery after the other takes its part. */
export class RoomLeft {
	readonly #room: Room;
	readonly #taken = new Map<string, number>();
	#left: number;

	constructor(room: Room) {
		this.#room = room;
		this.#left = room.all;
	}

	/** How many more of all. */
	get all(): number {
		return this.#left;
	}

	ofUser(id: string): number {
		return Math.min(this.#left, this.#room.ofUser(id) - (this.#taken.get(id) ?? 0));
	}

	ofEndpoint(id: string): number {
		return Math.min(this.#left, this.#room.ofEndpoint(id) - (this.#taken.get(id) ?? 0));
	}

	take(userId: string, endpointId: string): void {
		this.#left -= 1;
		for (const id of [userId, endpointId]) {
			this.#taken.set(id, 1 + (this.#taken.get(id) ?? 0));
		}
	}
}
