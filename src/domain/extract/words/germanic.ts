import type {Words} from './columns.js';

/** English and its kin. */
export const germanic: Readonly<Record<string, Words>> = {
	en: {
		code: `~code, ~codes, token, temporary password, activation number, recovery number, security number
			sign in number, login number, pairing number, unlock number, one time number, 2 step number, activation key number`,
		confirmation: 'confirmation code, confirmation codes',
		trip: `flight, flights, airline, boarding, check in, checking in, departure, departs, itinerary, passenger
			passengers, hotel, guest, guests, nights, your stay, your trip, train`,
		otp: `one time password, one time passcode, one time pin, single use password, passcode, pass code, otp
			totp, 2fa, login token, login key, sign in key, security token, verification key, authentication key, verification number
			verification pin, authentication number`,
		verify: `verif, confirm, secur, authent, authoriz, authoris, access, activat, log in, logging in, login
			log on, signon, sign on, sign in, signing in, sign up, signing up, registr, one time, single use
			temporary, recover, reset, device, pairing, pair, two factor, two step, 2 step, 2 factor, 2fa, mfa
			multi factor, unlock, identity, connect, approv, enroll, validation, validat`,
		about: 'password, expire, valid for, is valid, minute, share, account, once, passwordless, prove, protect, join',
		password: 'password',
		pin: 'pin, pin code, pincode',
		cart: `checkout, check out, your cart, the cart, basket, at the till, for a free, apply code, apply this code, apply the code
			when you pay, when paying, payment reference`,
		address: `postal, road, rd, street, nagar, marg, sector, plot, district, dist, taluk, village, registered office, landmark
			andhra pradesh, assam, bihar, goa, gujarat, haryana, jharkhand, karnataka, kerala, madhya pradesh
			maharashtra, odisha, punjab, rajasthan, tamil nadu, telangana, uttar pradesh, uttarakhand, west bengal
			bengaluru, bangalore, mumbai, new delhi, kolkata, chennai, hyderabad, pune, ahmedabad, ship to, deliver to`,
		number: 'number, numbers, no, nr, id, ids, num',
		thing: `order, orders, invoice, receipt, reservation, tracking, shipment, shipping, parcel, ticket, case
			customer, client, transaction, policy, model, version, build, suite, room, floor, building, street, ip
			port, trace, flight, ext, exit, status, response, return, reason, source, product, item, article
			merchant, supplier, vendor, vat, tax, dress, color, colour, routing, airport, course, zone, class
			location, store, project, batch, unit, lot, serial, bank, swift, sort, area, country, dial, dialing, zip
			post, postal, qr, bar, gift, referral, review, block, base, coverage, quality, owner, style, example
			sample, snippet, signing, job, cost, license, licence, booking, conduct, diagnostic, affiliate, partner
			agent, task, billing, redemption, redeem, cashback, hex, station, warehouse, exam, zoning, civil, fire
			inspection, customs, tariff, commodity, diagnosis, procedure, provider, deal, campaign, membership
			limit, usage, count, loyalty, treat, bonus, perk, birthday, social, budget, length, employee, staff, student, patient, pickup, pick up, collection, wifi, wi fi, wlan, hs, icd, nct, cpt, center
			centre, department, plan, branch, dealer, site, plant, asset, material, charge, category, currency
			language, stock, promo, subscription, problem, incident, fault, door, gate`,
		parcel: 'parcel, tracking, track your, track the, track and trace, shipment',
		offer: `promo, promotion, discount, coupon, voucher, offer, creator, checkout, sale, % off, off your, off on
			off the, off all, off any, save, saving, free shipping, gift card, cart, shop, reward, deals`,
		failure: 'error, fail, unknown, exception, exit, said, reject, http, smtp, crash, bounce',
		numbered: `account, card, phone, tel, telephone, fax, mobile, call, total, amount, since, until, date, user
			member, meeting, webinar, issue, task, page, pull request, merge request, commit, step, line, year
			level, box, sent to, registered in`,
		ref: `reference, ref, sku, iban, bic, vat, zip, ~postcode, ~barcode, codebase, copyright, ending in
			ending with, ends in, p.o. box, po box, postbox, ip address, confirmation number
			registration number, anti phishing code, user id, member id, meeting id, webinar id, request id
			account id, account number, member number, membership number, card number, employee number
			company number, license key, licence key, social security number, codes sent, codes left, codes used, codes remaining
			pin attempts, otp requests, code requests
			that ends in, which ends in, ends with, last four digits, last 4 digits`,
		is: "is, are, as, it is, it's, yours is",
		gone: `was sent, has been sent, was used, has been used, was changed, has been changed, was reset, was requested
			has been requested, was updated, has been updated, was entered
			was checked, has been checked, was removed, was deleted`,
		refused: `is invalid, is not valid, isn't valid, is no longer valid, has expired, expired, is incorrect, is wrong
			you entered, was rejected, was not accepted, is not correct, didn't work, has already been used, was already used`,
		with: 'with, using',
		currency:
			'eur, usd, gbp, chf, inr, jpy, cny, sek, nok, dkk, pln, czk, huf, brl, mxn, aud, cad, nzd, sgd, hkd, zar, aed, sar, ngn, kes',
		enter: `use, enter, type, type in, input, submit, provide, copy, paste, insert, entering, typing, key in
			punch in, fill in, the following, using, key this in, keying in, punch, pop this, pop it, drop this, drop it, tell
			give, submitting, pasting, you need, you'll need, you will need`,
		here: "here, here it is, here you go, here it comes, below, it is, it's, yours, yours is, this is yours",
		to: 'to, for, in, into, on, at, when, if',
		of: 'of, of the',
		unit: `€, $, £, %, minut~, min, mins, hour, hours, second, seconds, sec, day, days, week, weeks, month
			months, year, years, user, users, people, member, members, digit, digits, character, characters, time
			times, point, points, line, lines, file, files, word, words, item, items, px, mb, gb, kb, km, kg, ml, am
			pm, usd, eur, gbp, chf, euro, euros, dollars, credits, tokens, codes, pins, commits, stars, views`,
	},
	de: {
		code: '~code, ~codes, ~kode, temporäres passwort, ~kennwort',
		key: '~schlüssel, ~token',
		otp: `zahlencode, zifferncode, tan, mtan, pushtan, smstan, phototan, chiptan, ~tan nummer, ~einmalpasswort, ~einmalkennwort
			~einmalcode, ~prüfcode, ~prüfnummer, ~bestätigungsnummer, ~verifizierungsnummer, ~einmal passwort
			~einmal pin, ~freigabecode`,
		verify: `bestätig, verifi, sicherheit, anmeld, login, log in, zugang, zugriff, aktivier, freischalt, prüf
			authentifizier, authentisier, registrier, einmal, einlog, wiederherstell, zurücksetz, geräte, zwei faktor
			zwei stufen, identität`,
		about: `einloggen, kennwort, gültig, minute, sicher, läuft ab, weitergeben, weiter geben, ablauf
			passwort, konto`,
		number: '~nummer, ~nummern, ~nr, zahl, zahlenfolge, ziffernfolge',
		thing: `bestell, auftrag, rechnung, kunden, buchung, reservierung, sendung, paket, ticket, vorgang, vertrag
			artikel, produkt, post, länder, vorwahl, fehler, status, quell, strich, zimmer, tür, etage, lieferung
			filial, projekt, steuer, bank, qr, farb, modell, inventar, kategorie, lieferanten, anlagen
			problem, störung, störungs
			mitglieds, mitarbeiter, schüler, patienten, grund, kurs, firmen`,
		parcel: 'paket, sendung',
		offer: 'rabatt, gutschein, aktion, angebot, warenkorb, empfehlung, geschenk, vorteil',
		failure: 'fehler, fehlgeschlagen',
		numbered: 'telefon, tel, mobil, fax, betrag, konto, karte, seit, bis, zimmer, haus, version, seite, zeile',
		ref: `plz, ~postleitzahl, iban, bic, blz, hrb, ust idnr, postfach, aktenzeichen, bestätigungs nr, gutschein
			endend auf, endet auf, kundennummer, referenz, referenznummer, versicherungsnummer, mitgliedsnummer
			sendungsnummer, ~quellcode, ~barcode, mit der endung, endet mit, endend mit, endziffern, warencode`,
		is: 'ist, lautet, lauten, sind, als, heisst, heißt',
		gone: `wurde gesendet, wurde verschickt, wurde verwendet, wurde benutzt, wurde geändert, wurde angefordert
			wurde geprüft, wurde gelöscht, wurde entfernt`,
		refused: `ungültig, ist ungültig, ist abgelaufen, abgelaufen, ist falsch, nicht mehr gültig, nicht gültig, leider falsch
			wurde bereits verwendet`,
		enter: `nutze, nutzen sie, gib, geben sie, verwende, verwenden sie, gebe, benutze, benutzen sie, eingeben
			folgende, folgenden, kopiere, kopieren sie, tippe`,
		to: 'um, zum, zur, für, ein, auf, in, im, als',
		of: 'für, der, des',
		unit: `stunde~, sekunde~, tag, tage, tagen, uhr, ziffer~, zeichen, wochen, monate~, jahre~, punkte~
			personen, stück, token`,
		password: 'passwort, ~passwort, ihr passwort',
		cart: `kasse, warenkorb, bezahlen, einkaufswagen
			bei der zahlung, bei der überweisung, verwendungszweck`,
		here: 'hier, hier ist er, hier ist',
	},
	nl: {
		code: '~code, ~codes, tijdelijk wachtwoord',
		otp: '~pincode, eenmalig wachtwoord, eenmalige wachtwoord, eenmalige toegangscode, ~verificatienummer',
		verify: `verific, verifi, bevestig, beveilig, inlog, log in, aanmeld, toegang, activer, eenmalig, registr
			authenticat, herstel, tweestaps, tweefactor, identiteit, controle, apparaat`,
		about: 'wachtwoord, geldig, verloopt, vervalt, minuten',
		number: '~nummer, ~nummers',
		thing: `bestel, factuur, klant, order, zending, pakket, boeking, reserver, ticket, product, artikel, post, land
			fout, bron, streep, kamer, track, kleur, deur, belasting, bar, qr, dossier, model, inventaris, categorie
			leverancier, probleem, storings, incident
			lidmaatschaps, medewerker, personeels, leerling, patiënt, contract, reden, cursus`,
		parcel: 'pakket, zending, track en trace',
		offer: 'korting, actie, cadeau, waardebon, aanbieding, kassa, winkel',
		failure: 'fout, mislukt',
		numbered: 'rekening, telefoon, tel, kaart, bedrag, kamer, totaal',
		ref: `postbus, kvk, ~postcode, btw, kenmerk, eindigend op, ~barcode
			eindigt op, dat eindigt op, die eindigt op`,
		is: 'is, luidt, zijn, als',
		enter: 'gebruik, voer, vul, typ, kopieer, volgende, in te voeren, in te vullen, in te typen',
		to: 'om, voor, in, op',
		of: 'voor, van, van de, van het',
		unit: 'minuten, uur, uren, dag, dagen, weken, cijfers, tekens, maanden, jaar',
		password: 'wachtwoord, wachtwoord',
		cart: 'kassa, winkelwagen, winkelmand, afrekenen, bij de betaling, bij betaling',
		here: 'hier, hier is hij, hierbij, hieronder, onderstaand, onderstaande',
	},
	af: {
		code: '~kode, ~kodes',
		otp: 'eenmalige wagwoord, eenmalige pin',
		verify: `verifi, verifikasie, bevestig, sekuriteit, veiligheid, aanmeld, toegang, aktiver, eenmalig
			registrasie, teken in, herstel`,
		about: 'wagwoord, geldig, verval, minute, rekening',
		number: '~nommer',
		thing: `bestel, bestelling, bespreking, faktuur, kliënt, pos, land, fout, bron, produk, kamer, staaf, sending, streep
			probleem`,
		parcel: 'pakkie',
		offer: 'afslag, promosie, koepon, geskenk',
		numbered: 'telefoon, rekening, kamer',
		is: 'is, as',
		enter: 'gebruik, voer, tik, volgende',
		to: 'om, in, vir',
		of: 'vir, van',
		unit: 'minute, uur, dae, syfers',
		password: 'wagwoord',
		cart: 'betaalpunt, mandjie',
		here: 'hier, hier is dit',
	},
};
