import type {Words} from './columns.js';

/** Slavic languages of the east and west. */
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
			выдачи~, статус~, ответа~, возврата~, бонус~, реферальн~, домофон~, комнат~, номенклатур~, модел~
			проблем~, инцидент~, заявк~, обращени~
			участник~, сотрудник~, студент~, пациент~, договор~, причин~, курса, организаци~, изделия`,
		parcel: 'посылк, отслеж, отслед',
		offer: 'скидк, купон, промо, акци, распродаж, подарок, магазин, корзин',
		failure: 'ошибк, сбой, не удалось',
		numbered: `заказ, заказа, счет, телефон, тел, сумма, квартира, кв, дом, офис, комната, версия, этаж, с, рейс
			билет, карта, заявка, договор, года, пользователя, учетной записи, устройства, сотрудника`,
		ref: `промокод, промокода, штрихкод, штрих код, индекс, инн, кпп, огрн, бик, артикул, трек номер
			заканчивающ, ссылка на заказ
			заканчивающийся на, заканчивающегося на, заканчивается на, оканчивающийся на, с окончанием`,
		is: 'это, как, ваш, будет, является, составляет',
		enter: `введите, используйте, укажите, вводите, ввести, скопируйте, вставьте, введи, используй, наберите
			следующий`,
		to: 'для, чтобы, на, в, при',
		of: 'для, на, от, за, с',
		unit: `час, часа, часов, руб, рубл, секунд, дней, дня, день, цифр, символ, лет, года, год, шт, недел, месяц
			балл, человек, мб, кг`,
		password: 'пароль',
		cart: 'корзин, при оплате, при оформлении заказа, назначение платежа',
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
			вихідн~, рахун~, податк~, штрих~, qr, отримання~, статус~, подарунк~, кімнат~, модел~, інвентарн~
			проблем~, інцидент~, заявк~, звернен~
			учасник~, співробітник~, студент~, пацієнт~, договор~, причин~, курсу, виробу`,
		parcel: 'посилк, відстеж',
		offer: 'знижк, купон, промо, акці, подарун, кошик, магазин',
		failure: 'помилк, збій, не вдалос',
		numbered: `замовлення, рахунок, телефон, тел, сума, кв, будинок, кімната, версія, поверх, рейс, картка
			користувача, облікового запису, пристрою, співробітника`,
		ref: 'промокод, штрихкод, індекс, єдрпоу, іпн, закінчується на, закінчується цифрами',
		is: 'це, як, ваш, є',
		enter: 'введіть, використайте, використовуйте, вкажіть, вводьте, скопіюйте, вставте, введи, наступний',
		to: 'для, щоб, на, в, у, при',
		of: 'для, на, від, за',
		unit: 'годин~, грн, секунд~, днів, дні, день, цифр~, символ~, років, рік, тижн~, місяц~, балів',
		password: 'пароль',
		cart: 'кошик, при оплаті, під час оплати, призначення платежу',
		here: 'ось, ось він',
	},
	be: {
		code: 'код, кода, коду, кодам',
		verify:
			'ўваход, увайсц, скід, абнаўл, аўтэнт, ідэнтыф, пацвярдж, спраўдж, праверк, бяспек, уваход, аўтар, актывац, рэгістрац, аднараз',
		thing: 'памылк~, паштов~, зніжк~, замов~, тавар~, праблем~, прадукту',
		parcel: 'пасылк',
		is: 'гэта',
		enter: 'выкарыстайце, скарыстайце, скапіруйце, увядзіце, выкарыстоўвайце',
		password: 'пароль',
		cart: 'кошык, пры аплаце',
		here: 'вось, вось ён',
		about: 'парол, хвілін, дзейн, нікому',
		otp: 'аднаразовы пароль, аднаразовага пароля',
	},
	cs: {
		code: 'kód~, dočasné heslo',
		otp: 'jednorázové heslo, jednorázového hesla, ~pin kód, ověřovací číslo',
		verify: `ověř, potvr, potvrz, verifik, bezpeč, přihla, přihlá, přístup, autoriz, autentiz, jednoráz, aktivac
			aktivov, aktivuj, registr, dočasn, obnov, dvoufáz, dvoufaktor, odemk, identit`,
		about: 'heslo, platn, platí, vyprší, minut, účet, sdílejte, nesdělujte',
		number: 'číslo, čísla, č, čís',
		thing: `slev~, poštovn~, poštov~, psč, objednáv~, chyb~, zákaz~, produkt~, promo~, sledov~, rezervac~, faktur~
			zásil~, země~, čárov~, zdrojov~, qr, dárk~, zboží~, stav~, variabiln~, pokoj~, model~, majet~, inventár~
			problém~, závad~, člensk~, zaměstnan~, student~, pacient~, smlouv~, důvod~, kurz~, výrobku, položky`,
		parcel: 'zásilk, balík',
		offer: 'slev, kupón, kupon, nabíd, akce, dárk, sleva',
		failure: 'chyb, selh',
		numbered: `objednávka, objednávky, faktura, telefon, tel, částka, pokoj, účet, patro, dveře, karta, verze
			linka, od`,
		ref: 'psč, ičo, dič, variabilní symbol, vs, končící na, končí na, končícího na',
		is: 'je, zní, jako, jsou',
		enter: 'zadejte, použijte, vložte, napište, zadej, použij, vlož, zadat, opište, zkopírujte, následující',
		to: 'pro, k, ke, abyste, na, do, při',
		of: 'na, pro, k',
		unit: `minut~, hodin~, dní, dny, den, dnů, sekund~, číslic~, znak~, kč, korun, let, rok~, týdn~, měsíc~
			bodů, kusů`,
		password: 'heslo',
		cart: 'košík, u pokladny, v pokladně, při platbě, při placení',
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
			krajin~, čiarov~, zdrojov~, qr, darč~, tovar~, stav~, model~, majet~, inventár~, kategóri~, poruch~
			členské, zamestnan~, študent~, pacient~, zmluv~, dôvod~`,
		parcel: 'zásielk',
		offer: 'zľav, kupón, ponuk, akci, darč',
		failure: 'chyb, zlyh',
		numbered: 'objednávka, objednávky, faktúra, telefón, tel, suma, izba, poschodie, od',
		ref: 'psč, ičo, dič, variabilný symbol, končiace na, končí na',
		is: 'je, znie, ako',
		enter: 'zadajte, použite, vložte, napíšte, zadaj, použi, vlož, skopírujte, nasledujúci',
		to: 'pre, na, aby ste, do, pri',
		of: 'na, pre, k',
		unit: 'minút~, hodín~, hodin~, dní, dni, deň, sekúnd~, číslic~, znakov, eur, rokov, týžd~, mesiac~, bodov',
		password: 'heslo',
		cart: 'košík, pri pokladni, v pokladni, pri platbe',
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
			swift~, pokoj~, model~, inwentarz~, kategori~, dostawc~, problem~, zgłosz~, incydent~
			członk~, pracowni~, student~, pacjent~, umow~, przyczyn~, kurs~, artykułu`,
		parcel: 'paczk, przesyłk, śledz',
		offer: 'rabat, kupon, promocj, ofert, zniżk, prezent, koszyk, sklep',
		failure: 'błąd, błęd, nie powiodł',
		numbered: `zamówienie, zamówienia, faktura, kwota, telefon, tel, pokój, konto, karta, od, wersja, piętro
			linia, ul`,
		ref: `nip, regon, krs, kod pocztowy, końcówka, kończącej się na, kończącą się
			kończący się na, kończącego się na, zakończony na`,
		is: 'to, jest, brzmi, jako, są',
		enter: `użyj, wpisz, wprowadź, podaj, wprowadzić, skopiuj, wklej, przepisz, proszę wpisać, proszę wprowadzić
			następujący, następującego, poniższy`,
		to: 'aby, żeby, do, by, w, na, dla',
		of: 'na, do, dla, za',
		unit: `minut~, godzin~, godz, dni, dzień, sekund~, cyfr~, znak~, pln, zł, złotych, lat, tygodni~, miesiąc~
			miesięcy, punktów, osób, szt`,
		password: 'hasło',
		cart: 'koszyk, przy kasie, przy płatności, podczas płatności, tytule przelewu',
		here: 'oto, oto on, tutaj',
	},
};
