import type {Words} from './columns.js';

/** Slavic languages. */
export const slavic: Readonly<Record<string, Words>> = {
	ru: {
		code: 'код, кода, коду, кодом, коде, коды, кодов, пароль, пароля, паролем, токен, токена',
		otp: 'пин, пин код, пин кода, одноразовый пароль, одноразового пароля, номер подтверждения, проверочное число',
		verify: `подтвер, провер, верифик, безопас, доступ, вход, войти, войд, авториз, аутентиф, однораз, активац
			активир, регистрац, временн, сброс, восстанов, двухфактор, двухэтап, секретн, логин, аккаунт, разблок
			идентиф`,
		about: 'парол, действ, минут, никому, истека, истеч, учетн, сообща',
		number: 'номер, номера, №',
		thing: `скидк~, товар~, ошибк~, почтов~, город~, стран~, заказ~, клиент~, отправлен~, отслежив~, брон~, посылк~
			исходн~, счет~, квитанц~, налог~, региона~, штрих~, артикул~, qr, подарочн~, получения~, постамата~
			выдачи~, статус~, ответа~, возврата~, бонус~, реферальн~, домофон~, комнат~, номенклатур~, модел~`,
		offer: 'скидк, купон, промо, акци, распродаж, подарок, магазин, корзин',
		failure: 'ошибк, сбой, не удалось',
		numbered: `заказ, заказа, счет, телефон, тел, сумма, квартира, кв, дом, офис, комната, версия, этаж, с, рейс
			билет, карта, заявка, договор, года`,
		ref: `промокод, промокода, штрихкод, штрих код, индекс, инн, кпп, огрн, бик, артикул, трек номер
			заканчивающ, ссылка на заказ`,
		is: 'это, как, ваш, будет, является, составляет',
		enter: `введите, используйте, укажите, вводите, ввести, скопируйте, вставьте, введи, используй, наберите
			следующий`,
		to: 'для, чтобы, на, в, при',
		of: 'для, на, от, за, с',
		unit: `час, часа, часов, руб, рубл, секунд, дней, дня, день, цифр, символ, лет, года, год, шт, недел, месяц
			балл, человек, мб, кг`,
		password: 'пароль',
		cart: 'корзин, при оплате, при оформлении заказа',
		here: 'вот, вот он, вот ваш',
	},
	uk: {
		code: 'код, кода, коду, кодом, коди, кодів, пароль, пароля, паролем, токен',
		otp: 'пін, пін код, одноразовий пароль, номер підтвердження',
		verify: `підтвер, перевір, верифік, безпек, доступ, вхід, вход, увій, увійти, авториз, автентиф, однораз
			активац, активув, реєстрац, тимчас, скидання, віднов, двофактор, двоетап, секретн, обліков, логін
			ідентиф`,
		about: 'парол, дійсн, хвилин, нікому, закінч, термін, повідомл, ділі',
		number: 'номер, номера, №',
		thing: `знижк~, товар~, помилк~, поштов~, міста~, країн~, замовл~, клієнт~, відправл~, відстеж~, брон~, посилк~
			вихідн~, рахун~, податк~, штрих~, qr, отримання~, статус~, подарунк~, кімнат~, модел~, інвентарн~`,
		offer: 'знижк, купон, промо, акці, подарун, кошик, магазин',
		failure: 'помилк, збій, не вдалос',
		numbered: 'замовлення, рахунок, телефон, тел, сума, кв, будинок, кімната, версія, поверх, рейс, картка',
		ref: 'промокод, штрихкод, індекс, єдрпоу, іпн',
		is: 'це, як, ваш, є',
		enter: 'введіть, використайте, використовуйте, вкажіть, вводьте, скопіюйте, вставте, введи, наступний',
		to: 'для, щоб, на, в, у, при',
		of: 'для, на, від, за',
		unit: 'годин~, грн, секунд~, днів, дні, день, цифр~, символ~, років, рік, тижн~, місяц~, балів',
		password: 'пароль',
		cart: 'кошик, при оплаті',
		here: 'ось, ось він',
	},
	be: {
		code: 'код, кода, коду, кодам',
		verify:
			'ўваход, увайсц, скід, абнаўл, аўтэнт, ідэнтыф, пацвярдж, спраўдж, праверк, бяспек, уваход, аўтар, актывац, рэгістрац, аднараз',
		thing: 'памылк~, паштов~, зніжк~, замов~, тавар~',
		is: 'гэта',
		enter: 'выкарыстайце, скарыстайце, скапіруйце, увядзіце, выкарыстоўвайце',
		password: 'пароль',
		cart: 'кошык, пры аплаце',
		here: 'вось, вось ён',
		about: 'парол, хвілін, дзейн, нікому',
		otp: 'аднаразовы пароль, аднаразовага пароля',
	},
	bg: {
		code: 'код, кода, кодът, кодове, временна парола, временната парола',
		otp: 'пин, пин код, еднократна парола, еднократната парола',
		verify: `нулир, ресет, потвърж, потвърд, проверк, верифик, сигурност, защит, достъп, вход, влизане, влезете, оторизац
			удостовер, еднократ, активац, активир, регистрац, времен, възстанов, двуфактор, двустъпк, идентиф`,
		about: 'парола, валид, изтич, минути, споделя, акаунт',
		number: 'номер, номера, №',
		thing: `отстъпк~, изходен~, изходн~, пощенск~, поръчк~, грешк~, клиент~, продукт~, промо~, проследяв~, резервац~
			държав~, фактур~, пратк~, баркод~, qr, подарък~, стока~, източник~, модел~, инвентар~, категор~`,
		offer: 'отстъпк, оферт, купон, промо, ваучер, подарък',
		failure: 'грешк, неуспеш',
		numbered: 'поръчка, фактура, телефон, тел, сума, стая, етаж, ап, карта',
		ref: 'промокод, баркод, пк, еик, булстат',
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
			модел~, инвентар~, средств~, основното средство`,
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
			поклон~, porudžbin~, poštansk~, popust~, greške~, модел~, инвентар~, средств~`,
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
			rezervacij~, račun~, pošiljk~, države~, barkod~, crtičn~, izvorn~, qr, poklon~, oib, model~, inventar~`,
		offer: 'popust, kupon, ponud, poklon, akcij',
		failure: 'grešk, pogrešk, neuspje',
		numbered: 'narudžba, narudžbe, račun, telefon, tel, mob, soba, kat, iznos, ukupno, karta',
		ref: 'oib, poziv na broj, mb, jmbg',
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
			države~, črtn~, izvorn~, qr, darilo~, davčn~, promocij~, model~, inventar~, kategorij~`,
		offer: 'popust, kupon, ponudb, darilo',
		failure: 'napak, neuspeš',
		numbered: 'naročilo, naročila, račun, telefon, tel, soba, nadstropje, znesek',
		ref: 'ddv, sklic, trr',
		is: 'je, kot, se glasi',
		enter: 'vnesite, vpišite, uporabite, vnesi, vpiši, uporabi, kopirajte, prilepite, naslednjo',
		to: 'za, da, v, na',
		of: 'za, od',
		unit: 'minut~, ur, ure, uro, dni, dan, dneh, sekund~, števk~, znakov, eur~, let',
		password: 'geslo',
		cart: 'košaric, na blagajni, pri plačilu',
		here: 'tukaj, tukaj je, tu je',
	},
	cs: {
		code: 'kód~, dočasné heslo',
		otp: 'jednorázové heslo, jednorázového hesla, ~pin kód, ověřovací číslo',
		verify: `ověř, potvr, potvrz, verifik, bezpeč, přihla, přihlá, přístup, autoriz, autentiz, jednoráz, aktivac
			aktivov, aktivuj, registr, dočasn, obnov, dvoufáz, dvoufaktor, odemk, identit`,
		about: 'heslo, platn, platí, vyprší, minut, účet, sdílejte, nesdělujte',
		number: 'číslo, čísla, č, čís',
		thing: `slev~, poštovn~, poštov~, psč, objednáv~, chyb~, zákaz~, produkt~, promo~, sledov~, rezervac~, faktur~
			zásil~, země~, čárov~, zdrojov~, qr, dárk~, zboží~, stav~, variabiln~, pokoj~, model~, majet~, inventár~`,
		offer: 'slev, kupón, kupon, nabíd, akce, dárk, sleva',
		failure: 'chyb, selh',
		numbered: `objednávka, objednávky, faktura, telefon, tel, částka, pokoj, účet, patro, dveře, karta, verze
			linka, od`,
		ref: 'psč, ičo, dič, variabilní symbol, vs, končící na',
		is: 'je, zní, jako, jsou',
		enter: 'zadejte, použijte, vložte, napište, zadej, použij, vlož, zadat, opište, zkopírujte, následující',
		to: 'pro, k, ke, abyste, na, do, při',
		of: 'na, pro, k',
		unit: `minut~, hodin~, dní, dny, den, dnů, sekund~, číslic~, znak~, kč, korun, let, rok~, týdn~, měsíc~
			bodů, kusů`,
		password: 'heslo',
		cart: 'košík, u pokladny, v pokladně',
		here: 'zde, tady, zde je, tady je',
	},
	sk: {
		code: 'dočasné heslo',
		otp: 'jednorazové heslo, jednorazového hesla, overovacie číslo',
		verify: `potvrd, verifik, bezpeč, prihlás, prihlas, prístup, autoriz, autentif, jednoraz, aktivác, aktivov
			aktivuj, registr, dočasn, obnov, dvojfaktor, dvojstup, identit, overen, overov, overi, overte`,
		about: 'heslo, platn, platí, vyprší, minút, účet, uplynie, zdieľaj',
		number: 'číslo, čísla, č',
		thing: `zľav~, poštov~, objednáv~, chyb~, zákaz~, produkt~, promo~, sledov~, rezervác~, faktúr~, zásiel~
			krajin~, čiarov~, zdrojov~, qr, darč~, tovar~, stav~, model~, majet~, inventár~, kategóri~`,
		offer: 'zľav, kupón, ponuk, akci, darč',
		failure: 'chyb, zlyh',
		numbered: 'objednávka, objednávky, faktúra, telefón, tel, suma, izba, poschodie, od',
		ref: 'psč, ičo, dič, variabilný symbol',
		is: 'je, znie, ako',
		enter: 'zadajte, použite, vložte, napíšte, zadaj, použi, vlož, skopírujte, nasledujúci',
		to: 'pre, na, aby ste, do, pri',
		of: 'na, pre, k',
		unit: 'minút~, hodín~, hodin~, dní, dni, deň, sekúnd~, číslic~, znakov, eur, rokov, týžd~, mesiac~, bodov',
		password: 'heslo',
		cart: 'košík, pri pokladni, v pokladni',
		here: 'tu, tu je',
	},
	pl: {
		code: 'kod, kodu, kodem, kodzie, kody, kodów, tymczasowe hasło, token, tokena, tokenem',
		otp: `hasło jednorazowe, hasła jednorazowego, jednorazowe hasło, jednorazowego hasła, numer weryfikacyjny
			numeru weryfikacyjnego`,
		verify: `weryfik, potwierd, bezpiecz, dostęp, zalog, logow, autoryz, uwierzyt, jednoraz, aktywac, aktywuj
			aktywow, rejestr, tymczas, odzysk, reset, dwuetap, dwuskład, dwustop, tożsam, odblok`,
		about: 'hasło, hasła, ważn, wygas, traci ważn, minut, konto, konta, udostępn, podaw',
		number: 'numer, numeru, nr',
		thing: `rabat~, pocztow~, promocyj~, promo~, błęd~, kresk~, zamów~, klient~, produkt~, śledz~, rezerwac~
			faktur~, przesył~, krajow~, kraju~, źródłow~, qr, odbior~, podarunk~, towar~, paczk~, polec~, statusu~
			swift~, pokoj~, model~, inwentarz~, kategori~, dostawc~`,
		offer: 'rabat, kupon, promocj, ofert, zniżk, prezent, koszyk, sklep',
		failure: 'błąd, błęd, nie powiodł',
		numbered: `zamówienie, zamówienia, faktura, kwota, telefon, tel, pokój, konto, karta, od, wersja, piętro
			linia, ul`,
		ref: 'nip, regon, krs, kod pocztowy, końcówka, kończącej się na, kończącą się',
		is: 'to, jest, brzmi, jako, są',
		enter: `użyj, wpisz, wprowadź, podaj, wprowadzić, skopiuj, wklej, przepisz, proszę wpisać, proszę wprowadzić
			następujący, następującego, poniższy`,
		to: 'aby, żeby, do, by, w, na, dla',
		of: 'na, do, dla, za',
		unit: `minut~, godzin~, godz, dni, dzień, sekund~, cyfr~, znak~, pln, zł, złotych, lat, tygodni~, miesiąc~
			miesięcy, punktów, osób, szt`,
		password: 'hasło',
		cart: 'koszyk, przy kasie, przy płatności',
		here: 'oto, oto on, tutaj',
	},
};
