import type {Words} from './columns.js';

/** Languages of Northern Europe. */
export const nordic: Readonly<Record<string, Words>> = {
	sv: {
		code: '~kod, ~koden, ~koder',
		key: '~tokenet',
		otp: 'engångslösenord, engångslösenordet, ~pinkod, ~engångskod',
		verify: `verifi, bekräft, säkerhet, inlogg, logga in, aktivering, engångs, engång, registrer, autentiser
			åtkomst, tvåfaktor, tvåsteg, återställ, kontroll, identitet, behörighet
			e postverifi, e postbekräft`,
		about: 'lösenord, giltig, gäller, minuter, upphör, konto',
		number: '~nummer, ~numret, ~nr',
		thing: `order, beställning, faktura, kund, boknings, ärende, paket, post, lands, riktnummer, fel, käll, streck
			produkt, artikel, rums, port, spårning, qr, modell, inventarie, kategori, problem, incident
			medlems, anställnings, elev, patient, avtals, kurs`,
		parcel: 'paket, spåra, spårning, försändelse',
		offer: 'rabatt, kampanj, erbjudande, presentkort, kupong, värde',
		failure: 'fel, misslyck',
		numbered: 'telefon, tel, mobil, konto, kort, belopp, rum, sedan',
		ref: 'organisationsnummer, org nr, referens, referensnummer, som slutar på, slutar på, slutar med, varukod~',
		is: 'är, som',
		enter: 'använd, ange, skriv, skriv in, skriva in, mata in, fyll i, fylla i, kopiera, följande',
		to: 'för, för att, i, på, som',
		of: 'för, till',
		unit: 'minuter, timmar, timme, dagar, dag, siffror, tecken, kr, kronor, år',
		password: 'lösenord, lösenordet',
		cart: 'kassan, varukorg, kundvagn, vid betalning',
		here: 'här, här är den, här kommer, nedan',
	},
	da: {
		code: '~kode, ~koden, ~koder',
		otp: 'engangsadgangskode, engangsadgangskoden, ~pinkode, ~engangskode',
		verify: `bekræft, verifi, verificer, sikkerhed, log ind, login, logge ind, adgang, aktivering, engangs
			registrer, godkend, totrin, tofaktor, nulstil, gendan, identitet
			e mailbekræft, e mailverifi`,
		password: 'adgangskode, adgangskoden, kodeord',
		about: 'adgangskode, gyldig, udløb, minutter, konto',
		number: '~nummer, ~nr',
		thing: `ordre, bestilling, faktura, kunde, booking, sag, pakke, post, lande, fejl, kilde, streg, vare, produkt
			værelse, dør, qr, model, inventar, kategori, problem, hændelse
			medlems, medarbejder, elev, patient, aftale, kursus`,
		parcel: 'pakke, sporing',
		offer: 'rabat, kampagne, tilbud, gavekort, kupon',
		failure: 'fejl, mislyk',
		numbered: 'telefon, tlf, mobil, konto, kort, beløb, værelse, siden',
		ref: 'cvr, reference, referencenummer, der ender på, ~postnummer, slutter på, ender på',
		is: 'er, som, lyder',
		enter: 'brug, indtast, skriv, angiv, anvend, kopier, følgende',
		to: 'for, for at, til, til at, i, på',
		of: 'for, til',
		unit: 'minutter, timer, dage, cifre, tegn, kr, kroner, år',
		cart: 'kassen, indkøbskurv, kurven, ved betaling',
		here: 'her, her er den, her kommer',
	},
	no: {
		code: '~kode, ~koden, ~koder',
		otp: 'engangspassord, engangspassordet, ~pinkode, ~engangskode',
		verify: `bekreft, verifis, verifiser, sikkerhet, logg inn, innlogging, pålogging, tilgang, aktivering
			engangs, registrer, godkjen, totrinn, tofaktor, tilbakestill, gjenopprett, identitet, autentiser
			e postverifis, e postbekreft`,
		about: 'passord, gyldig, utløp, minutter, konto',
		number: '~nummer, ~nr',
		thing: `ordre, bestilling, faktura, kunde, sak, pakke, post, lands, feil, kilde, strek, vare, produkt, rom, dør
			sporing, qr, modell, inventar, kategori, problem, hendelse
			medlems, ansatt, elev, pasient, avtale, kurs, artikkel`,
		parcel: 'pakke, sporing',
		offer: 'rabatt, kampanje, tilbud, gavekort, kupong',
		failure: 'feil, mislyk',
		numbered: 'telefon, tlf, mobil, konto, kort, beløp, rom, siden',
		ref: `organisasjonsnummer, referanse, referansenummer, som slutter på, ~postnummer
			slutter på, slutter med`,
		is: 'er, som',
		enter: 'bruk, skriv, skriv inn, tast inn, oppgi, angi, kopier, følgende, oppgje',
		to: 'for, for å, til, i, på',
		of: 'for, til',
		unit: 'minutter, timer, dager, siffer, tegn, kr, kroner, år',
		password: 'passord, passordet',
		cart: 'kassen, handlekurv, ved betaling',
		here: 'her, her er den, her kommer',
	},
	is: {
		code: 'kóð~, ~kóð~',
		otp: '~einnota lykilorð, ~pin númer, staðfestingarnúmer, öryggisnúmer',
		verify: `endurstill, staðfesting, öryggis, auðkenning, innskráning, skrá, aðgang, virkjunar, sannprófun, einnota
			endurheimt, staðfest`,
		about: 'lykilorð, gildir, gildur, rennur, mínútur, reikning',
		number: '~númer',
		thing: `pönt, pöntun, reikning, póst, lands, villu, afsláttar, vöru, strika, herbergi, sendingar, síma
			kenni, bókun, frum, vandamál, vandamáls`,
		offer: 'afslátt, tilboð, gjafabréf',
		numbered: 'sími, herbergi',
		is: 'er, sem',
		enter: 'notaðu, sláðu inn, sláðu, skrifaðu, afritaðu, eftirfarandi',
		to: 'til, til að, á, í',
		unit: 'mínútur, klukkustund~, daga, kr, krónur, stafir',
		password: 'lykilorð, aðgangsorð',
		cart: 'kassa, körfu',
		here: 'hér, hér er',
	},
	fi: {
		code: '~koodi~, väliaikainen salasana',
		key: '~tunnuksesi, ~tunnuksenne, ~tunniste~',
		otp: 'kertakäyttöinen salasana~, kertakäyttösalasana~, ~tunnusluku~, ~vahvistusnumero~, ~pin koodi~',
		verify: `nollau, nollaa, vahvist, todenn, varmenn, varmist, turva, turvallisuus, kirjaut, kirjaudu, sisäänkirjaut, tunnist
			kertakäyt, kertakirjaut, aktivoin, rekister, pääsy, väliaikai, kaksivaihe, käyttöoikeus, istunto`,
		about: 'salasana, voimassa, vanhen, minuut, tili, tiliisi',
		number: '~numero~, nro',
		thing: `tilaus, lasku, asiakas, varaus, lähetys, seuranta, tuote, posti, maa, virhe, lähde, viiva, alennus
			huone, ovi, suunta, lahja, y tunnus, qr, pakett, malli, mallin, luokan
			ongelma, ongelman, vika, vian, jäsen, jäsenen, työntekijä, opiskelija, potilas, sopimus, syy, kurssi, tuotteen, artikkeli`,
		parcel: 'paketti, paketin, lähetyksen, seuranta',
		offer: 'alennus, tarjous, lahja, kuponki, kampanja, alekoodi, alessa',
		failure: 'virhe, epäonnistu',
		numbered: 'tilaus, lasku, puhelin, puh, huone, kerros, summa, yhteensä, tili',
		ref: 'viite, viitenumero, y tunnus, ~postinumero~, viivakoodi~, päättyvä, päättyvään',
		is: 'on, ovat',
		enter: 'käytä, syötä, kirjoita, anna, käyttäkää, syöttäkää, kopioi, liitä, seuraava, näppäile',
		to: 'kun, jotta, niin, sivulla, sovelluksessa',
		unit: 'minuut~, tunti~, tunnin, päivä~, sekunti~, numeroa, merkki~, merkkiä, viikko~, vuo~, eur~, pistettä',
		password: 'salasana, salasanasi',
		cart: 'ostoskori, kassalla, kassalle, maksaessasi',
		here: 'tässä, tässä se on',
	},
};
