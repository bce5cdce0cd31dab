import type {Words} from './columns.js';

/** Slavic languages of the Balkans. */
export const southSlavic: Readonly<Record<string, Words>> = {
	bg: {
		code: 'код, кода, кодът, кодове, временна парола, временната парола',
		otp: 'пин, пин код, еднократна парола, еднократната парола',
		verify: `нулир, ресет, потвърж, потвърд, проверк, верифик, сигурност, защит, достъп, вход, влизане, влезете, оторизац
			удостовер, еднократ, активац, активир, регистрац, времен, възстанов, двуфактор, двустъпк, идентиф`,
		about: 'парола, валид, изтич, минути, споделя, акаунт',
		number: 'номер, номера, №',
		thing: `отстъпк~, изходен~, изходн~, пощенск~, поръчк~, грешк~, клиент~, продукт~, промо~, проследяв~, резервац~
			държав~, фактур~, пратк~, баркод~, qr, подарък~, стока~, източник~, модел~, инвентар~, категор~
			проблем~, инцидент~, член~, служител~, студент~, договор~, причин~, курс~`,
		parcel: 'пратк, проследя',
		offer: 'отстъпк, оферт, купон, промо, ваучер, подарък',
		failure: 'грешк, неуспеш',
		numbered: 'поръчка, фактура, телефон, тел, сума, стая, етаж, ап, карта',
		ref: 'промокод, баркод, пк, еик, булстат, завършващ на',
		is: 'е, като, са',
		enter: 'въведете, използвайте, въведи, използвай, копирайте, поставете, следния, следният',
		to: 'за, за да, в, на, при',
		of: 'за, на',
		unit: 'минут~, час~, дни, ден, секунд~, цифри, знака, лв, лева, години, месеца',
		password: 'парола, паролата',
		cart: 'количк, при плащане, кошниц',
		here: 'ето, ето го',
	},
	mk: {
		code: 'код, кодот, кодови, шифра, шифрата',
		otp: 'пин, пин код, еднократна лозинка, еднократната лозинка',
		verify: `ресетир, потврд, провер, верифик, безбедн, пристап, најав, авториз, автентик, еднократ, активац, активир
			регистра, обнов`,
		about: 'лозинк, важи, истекува, минути',
		number: 'број, бр',
		thing: `попуст~, поштенск~, нарачк~, грешк~, клиент~, производ~, промо~, следење~, резервац~, фактур~, пратк~
			модел~, инвентар~, средств~, основното средство, проблем~`,
		parcel: 'пратк',
		numbered: 'нарачка, фактура, телефон, тел, соба',
		is: 'е, како',
		enter: 'внесете, користете, внеси, искористете, следниов',
		to: 'за, во, на',
		of: 'за, на',
		unit: 'минути, часа, дена, денари',
		password: 'лозинка, лозинката',
		cart: 'кошничк, при плаќање',
		here: 'еве, еве го, еве ја',
	},
	sr: {
		code: 'код, кода, кодом, коду, кôд, kod, koda, kodom, шифра, шифру, привремена лозинка',
		otp: 'пин, пин код, једнократна лозинка, jednokratna lozinka',
		verify: `ресетов, поништ, resetov, poništ, potvrd, prijav, sigurnos, потврд, провер, верифик, безбедн, сигурност, приступ, пријав, ауториз, аутентифик, једнократ
			активац, активир, регистра, опорав, ресет, двофактор, bezbedn, proveru, jednokrat`,
		about: 'лозинк, важи, истиче, минут, lozink',
		number: 'број, бр, broj',
		thing: `попуст~, поштанск~, поруџбин~, грешк~, клијент~, производ~, промо~, праћење~, резервациј~, рачун~
			поклон~, porudžbin~, poštansk~, popust~, greške~, модел~, инвентар~, средств~, проблем~, problem~`,
		parcel: 'пошиљк, pošiljk',
		offer: 'попуст, popust',
		numbered: 'поруџбина, рачун, телефон, тел, соба',
		is: 'је, као',
		enter: 'унесите, користите, унеси, користи, искористите, unesite, следећи',
		to: 'за, да, у, на',
		of: 'за',
		unit: 'минут~, сат~, дана, динара, цифара, rsd',
		password: 'лозинка, lozinka',
		cart: 'корп, korp, при плаћању, pri plaćanju',
		here: 'ево, evo, ево га, evo ga',
	},
	hr: {
		code: 'kod, koda, kodom, kodu, kôd, kôda, kôdom, kôdu, šifra, šifru, privremena lozinka',
		otp: 'jednokratna lozinka, jednokratnu lozinku, pin kod',
		verify: `poništav, ponišit, resetir, potvrd, provjer, verifik, sigurnos, pristup, prijav, autoriz, autentifik, autentik, jednokrat
			aktivac, aktivir, registr, oporav, privremen, dvofaktor, dvostruk, obnov, identit`,
		about: 'lozink, vrijedi, važi, ističe, istječe, minut, dijeli',
		number: 'broj, br, broja',
		thing: `popust~, poštansk~, narudžb~, grešk~, pogrešk~, kupca~, klijent~, proizvod~, promo~, praćenj~
			rezervacij~, račun~, pošiljk~, države~, barkod~, crtičn~, izvorn~, qr, poklon~, oib, model~, inventar~
			problem~, artikla`,
		parcel: 'pošiljk',
		offer: 'popust, kupon, ponud, poklon, akcij',
		failure: 'grešk, pogrešk, neuspje',
		numbered: 'narudžba, narudžbe, račun, telefon, tel, mob, soba, kat, iznos, ukupno, karta',
		ref: 'oib, poziv na broj, mb, jmbg, koji završava na, završava na',
		is: 'je, kao, glasi',
		enter: `unesite, upišite, koristite, iskoristite, upotrijebite, unesi, upiši, koristi, kopirajte, zalijepite
			sljedeći, upotrebite`,
		to: 'za, da biste, kako biste, da, u, na',
		of: 'za, od',
		unit: 'minut~, sat, sati, sata, dana, dan, sekund~, znamenk~, znakova, kn, eura, godina, tjedana, mjesec~',
		password: 'lozinka, zaporka',
		cart: 'košaric, pri plaćanju, na blagajni',
		here: 'evo, evo ga, ovdje',
	},
	sl: {
		code: 'koda, kodo, kode, kodi, geslo za enkratno',
		otp: 'enkratno geslo, enkratnega gesla, pin koda, pin kodo',
		verify: `potrd, preverj, preverit, verifik, varnos, dostop, prijav, avtoriz, avtentik, enkratn, aktivac
			registr, začasn, obnov, ponastav, dvofaktor, dvostopenj, overit, identit`,
		about: 'geslo, gesla, velja, poteče, minut',
		number: 'številka, številko, številke, št',
		thing: `popust~, poštn~, naročil~, napak~, kupc~, strank~, izdelk~, promo~, sleden~, rezervac~, račun~, pošiljk~
			države~, črtn~, izvorn~, qr, darilo~, davčn~, promocij~, model~, inventar~, kategorij~, težav~`,
		parcel: 'pošiljk',
		offer: 'popust, kupon, ponudb, darilo',
		failure: 'napak, neuspeš',
		numbered: 'naročilo, naročila, račun, telefon, tel, soba, nadstropje, znesek',
		ref: 'ddv, sklic, trr, konča na',
		is: 'je, kot, se glasi',
		enter: 'vnesite, vpišite, uporabite, vnesi, vpiši, uporabi, kopirajte, prilepite, naslednjo',
		to: 'za, da, v, na',
		of: 'za, od',
		unit: 'minut~, ur, ure, uro, dni, dan, dneh, sekund~, števk~, znakov, eur~, let',
		password: 'geslo',
		cart: 'košaric, na blagajni, pri plačilu',
		here: 'tukaj, tukaj je, tu je',
	},
};
