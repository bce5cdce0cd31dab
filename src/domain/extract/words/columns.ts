/**
 * What mails in one language say around one-time codes and other numbers: phrases divided by commas or lines. With a
 * leading `~` a phrase may end a longer word ("Bestätigungs~code"), with a trailing one it may begin one ("kód~ot").
 * Those of `verify`, `about`, `offer`, `cart`, `parcel` and `failure` may always begin one, so stems do; those of `thing` may begin one
 * that a code ends ("Kunden~code").
 */
export type Words = {
	/** Words for a code of any kind. The words beside it say which. */
	readonly code?: string;
	/** Words for a code that have other meanings, too: they are codes only beside a word of `verify`. */
	readonly key?: string;
	/** Words for a password: digits alone behind one are a code where the mail is about access. */
	readonly password?: string;
	/** As `password`, but postal codes in addresses are called so, too; beside a word of `verify` they are one-time codes. */
	readonly pin?: string;
	/** Names of one-time codes alone. */
	readonly otp?: string;
	/** Names of one-time codes that bookings of journeys have, too. */
	readonly confirmation?: string;
	/** What a one-time code is for; beside a code, it makes it one. */
	readonly verify?: string;
	/** What else a mail with a one-time code says. */
	readonly about?: string;
	/** Words for a number. */
	readonly number?: string;
	/** What has codes and numbers that are no one-time codes: "order", "postal". */
	readonly thing?: string;
	/** As `thing`, in shops. */
	readonly offer?: string;
	/** Where shops ask for codes: "cart", "checkout". */
	readonly cart?: string;
	/** Of deliveries, which are followed by a code. */
	readonly parcel?: string;
	/** Of postal addresses. */
	readonly address?: string;
	/** Of journeys and hotels, whose bookings have confirmation codes. */
	readonly trip?: string;
	/** As `thing`, in messages of machines. */
	readonly failure?: string;
	/** What has a number directly behind it, but may have one-time codes, too: "account", "phone". */
	readonly numbered?: string;
	/** Names of other numbers and codes. */
	readonly ref?: string;
	/** Between a code and its name, on either side: "is", "as". */
	readonly is?: string;
	/** Between a code and what became of it: "was used". */
	readonly gone?: string;
	/** Behind a code that counts no more: "is invalid". */
	readonly refused?: string;
	/** Asks for a code: "enter". */
	readonly enter?: string;
	/** Points at a code, which another sentence may name: "here it is", "below". */
	readonly here?: string;
	/** What the code is asked for comes next: "to", "for", "in". */
	readonly to?: string;
	/** Between a code and the thing that has it: "de". */
	readonly of?: string;
	/** Between what the code is for and the code: "with". */
	readonly with?: string;
	/** Makes the number behind it an amount. */
	readonly currency?: string;
	/** Makes the number before it a quantity. */
	readonly unit?: string;
};

export type Column = keyof Words;
