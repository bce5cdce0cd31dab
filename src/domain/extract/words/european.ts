import type {Words} from './columns.js';

/** Other languages of Europe and the Caucasus. */
export const european: Readonly<Record<string, Words>> = {
	lt: {
		code: 'kodas, kodą, kodo, kodu, kodai, kodus, laikinas slaptažodis',
		otp: 'vienkartinis slaptažodis, vienkartinį slaptažodį, pin kodas',
		verify: `patvirtin, patikrin, tikrin, verifik, saug, prieig, prisijung, autoriz, autentif, vienkart, aktyvin
			registr, laikin, atkūr, atkur, dviejų, tapatyb, identifik`,
		about: 'slaptažod, galioj, galios, minut, paskyr, nesidal',
		number: 'numeris, numerį, nr, numerio',
		thing: `nuolaid~, pašto~, užsak~, klaid~, klient~, prek~, produkt~, sekim~, rezerv~, sąskait~, siunt~
			šalies~, brūkšn~, pirmin~, qr, dovan~, pvm, įmonės~, akcijos~`,
		offer: 'nuolaid, kupon, pasiūl, dovan, akcij',
		failure: 'klaid, nepavyk',
		numbered: 'užsakymas, užsakymo, sąskaita, telefonas, tel, kambarys, aukštas, suma',
		ref: 'pvm, lt, įmonės kodas, asmens kodas',
		is: 'yra, kaip',
		enter: 'įveskite, naudokite, įrašykite, panaudokite, įvesk, naudok, nukopijuokite, šį, šiuo',
		to: 'norėdami, kad, į, prie, norint',
		unit: 'minut~, min, val, valand~, dien~, sekund~, skaitmen~, simbol~, eur~, met~, savait~',
	},
	lv: {
		code: 'kods, koda, kodu, kodam, kodi, kodus, pagaidu parole',
		otp: 'vienreizējā parole, vienreizēja parole, vienreizējo paroli, pin kods, pin kodu',
		verify: `apstiprin, pārbaud, verifik, droš, piekļuv, pieteik, pierakst, ielog, autoriz, autentif, vienreiz
			aktiviz, reģistr, pagaidu, atjaun, atkop, divfaktor, divpakāp, identit`,
		about: 'parole, paroli, derīg, beig, minūt, neizpaud, kopīgo',
		number: 'numurs, numuru, nr, numura',
		thing: `atlaid~, pasta~, pasūt~, kļūd~, klient~, prec~, produkt~, izseko~, rezerv~, rēķin~, sūtīj~, valsts~
			svītr~, avot~, qr, dāvan~, pvn, akcijas~`,
		offer: 'atlaid, kupon, piedāv, dāvan, akcij',
		failure: 'kļūd, neizdev',
		numbered: 'pasūtījums, pasūtījuma, rēķins, tālrunis, tālr, istaba, stāvs, summa',
		ref: 'pvn, personas kods, reģ nr',
		is: 'ir, kā',
		enter: 'ievadiet, izmantojiet, lietojiet, ievadi, izmanto, ierakstiet, nokopējiet, šo, šādu',
		to: 'lai, uz, vietnē, kad',
		unit: 'minūt~, stund~, dien~, sekund~, cipar~, simbol~, eiro, gad~, nedēļ~',
	},
	fi: {
		code: '~koodi~, väliaikainen salasana',
		key: '~tunnuksesi, ~tunnuksenne',
		otp: 'kertakäyttöinen salasana~, kertakäyttösalasana~, ~tunnusluku~, ~vahvistusnumero~, ~pin koodi~',
		verify: `vahvist, todenn, varmenn, varmist, turva, turvallisuus, kirjaut, kirjaudu, sisäänkirjaut, tunnist
			kertakäyt, kertakirjaut, aktivoin, rekister, pääsy, väliaikai, kaksivaihe, käyttöoikeus, istunto`,
		about: 'salasana, voimassa, vanhen, minuut, tili, tiliisi',
		number: '~numero~, nro',
		thing: `tilaus, lasku, asiakas, varaus, lähetys, seuranta, tuote, posti, maa, virhe, lähde, viiva, alennus
			huone, ovi, suunta, lahja, y tunnus, qr, pakett`,
		offer: 'alennus, tarjous, lahja, kuponki, kampanja, alekoodi, alessa',
		failure: 'virhe, epäonnistu',
		numbered: 'tilaus, lasku, puhelin, puh, huone, kerros, summa, yhteensä, tili',
		ref: 'viite, viitenumero, y tunnus, ~postinumero~, viivakoodi~',
		is: 'on, ovat',
		enter: 'käytä, syötä, kirjoita, anna, käyttäkää, syöttäkää, kopioi, liitä, seuraava, näppäile',
		to: 'kun, jotta, niin, sivulla, sovelluksessa',
		unit: 'minuut~, tunti~, tunnin, päivä~, sekunti~, numeroa, merkki~, merkkiä, viikko~, vuo~, eur~, pistettä',
	},
	et: {
		code: '~kood~, ajutine parool',
		otp: 'ühekordne parool, ühekordse parooli, pin kood',
		verify: `kinnit, kontroll, verifits, turva, sisselog, logi sisse, sisselogimis, ligipääsu, juurdepääsu
			autent, autoris, ühekordne, ühekord, aktiveer, registreer, ajuti, taasta, kaheastme, tuvast, identifits
			konto`,
		about: 'parool, kehti, aegub, minut, konto, jaga',
		number: '~number, ~numbri, nr',
		thing: `tellimus~, arve~, kliendi~, broneeri~, saadetis~, jälgimis~, toote~, posti~, riigi~, vea, lähte~
			triip~, ribakood~, soodus~, toa, ukse~, kinke~, registri~, qr, paki~, suuna~`,
		offer: 'soodus, pakkumi, kupong, kinke, kampaania',
		failure: 'viga, tõrge, ebaõnnest',
		numbered: 'tellimus, arve, telefon, tel, tuba, korrus, summa, kokku',
		ref: 'registrikood, isikukood, viitenumber, kmkr, triipkood, sihtnumber, ~postiindeks',
		is: 'on',
		enter: 'kasuta, kasutage, sisesta, sisestage, kirjuta, kirjutage, kopeeri, kopeerige, järgmine, järgmist',
		to: 'et, kui, lehel, rakenduses',
		unit: 'minut~, tund~, tunni, päev~, sekund~, numbrit, tähemär~, eur~, aasta~, nädal~',
	},
	hu: {
		code: '~kód~, ideiglenes jelszó~',
		key: 'tokenje, tokened, tokenét',
		otp: 'egyszer használatos jelsz~, egyszeri jelszó~, ellenőrző szám~, pin kód~',
		verify: `megerősít, ellenőrz, hitelesít, biztons, belépés, belépé, bejelentk, hozzáfér, azonosít, egyszer
			aktivál, regisztr, ideiglen, visszaáll, helyreáll, kétlépcs, kétfaktor, jóváhagy, igazol`,
		about: 'jelszó, jelszav, érvény, lejár, fiók, ossza meg, oszd meg, percig, percen, perces',
		number: '~szám~, sz',
		thing: `kedvezmény~, postai~, rendelés~, hiba~, ügyfél~, termék~, promó~, promóci~, nyomkövet~, foglal~
			számla~, csomag~, ország~, vonal~, forrás~, qr, ajándék~, vevő~, szoba~, irányító~, kupon~`,
		offer: 'kedvezmény, akció, kupon, ajánlat, ajándék',
		failure: 'hiba, sikertelen',
		numbered: 'rendelés, számla, telefon, tel, szoba, emelet, összeg, összesen',
		ref: 'adószám, cégjegyzékszám, irányítószám, hivatkozás, vonalkód',
		is: 'a, az, ez',
		enter: `használja, írja be, adja meg, használd, írd be, add meg, másolja, másold, adja, add, írja, írd
			üsse be, következő, alábbi`,
		to: 'a, az, hogy, ide',
		unit: 'perc~, óra, órá~, nap~, másodperc~, számjegy~, karakter~, ft, forint, év~, hét, hónap~, fő, db',
	},
	eu: {
		code: 'kode, kodea, kodeak, kodearekin, ~kodea, ~kodea~, behin behineko pasahitza',
		otp: 'behin erabiltzeko pasahitza, erabilera bakarreko pasahitza, pin kodea',
		verify: `egiazta, baiezta, berrest, segurtasun, sarbide, saioa, sartze, sarrera, autentif, behin
			erabilera bakarr, aktiba, erregistr, berreskura, identifika, bi urrats`,
		about: 'pasahitz, iraung, baliozko, balio, minutu, kontu',
		number: 'zenbakia, zenbaki, zk',
		thing: `deskontu~, posta~, eskaera~, eskaerar~, errore~, bezero~, produktu~, jarraipen~, erreserba~
			faktura~, bidalketa~, barra~, iturburu~, qr, opari~, gela~, promozio~`,
		offer: 'deskontu, eskaintza, kupoi, opari',
		failure: 'errore, huts',
		numbered: 'eskaera, faktura, telefonoa, tel, gela, solairua',
		is: 'da, hau da, honako hau da',
		enter: 'erabili, sartu, idatzi, kopiatu, honako',
		to: 'saioa, kontua, zure',
		unit: 'minutu~, ordu~, egun~, segundo~, digitu~',
	},
	el: {
		code: 'κωδικό~, κώδικα~, κωδικοί, κωδικού, προσωρινός κωδικός',
		otp: `κωδικός μίας χρήσης, κωδικό μίας χρήσης, κωδικός μιας χρήσης, κωδικό μιας χρήσης, αριθμός επαλήθευσης
			αριθμό επαλήθευσης`,
		verify: `επαλήθ, επιβεβαίω, ασφάλ, ασφαλεί, σύνδεσ, συνδεθ, πρόσβασ, εισόδ, είσοδ, εξουσιοδ, ταυτοποί
			ταυτότητ, μίας χρήσης, μιας χρήσης, ενεργοποί, εγγραφ, προσωριν, επαναφορ, ανάκτησ, δύο παραγόντων
			δύο βημάτων, πιστοποί`,
		about: 'λήγει, ισχύ, λεπτά, λογαριασμ, μοιρα, λήξ',
		number: 'αριθμός, αριθμό, αρ',
		thing: `έκπτωσ~, εκπτωτ~, ταχυδρομ~, παραγγελ~, σφάλμα~, πελάτ~, προϊόν~, προσφορ~, παρακολούθ~, κράτησ~
			τιμολόγ~, αποστολ~, χώρας~, γραμμωτ~, πηγαί~, qr, δώρου~, δωματίου~`,
		offer: 'έκπτωσ, προσφορ, κουπόν, δώρο, εκπτώ',
		failure: 'σφάλμα, αποτυχ',
		numbered: 'παραγγελία, παραγγελίας, τιμολόγιο, τηλέφωνο, τηλ, δωμάτιο, όροφος, ποσό, σύνολο',
		ref: 'τκ, τ.κ., αφμ, α.φ.μ., barcode, που λήγει σε',
		is: 'είναι, ως, ειναι',
		enter: `χρησιμοποιήστε, εισάγετε, εισαγάγετε, πληκτρολογήστε, καταχωρήστε, καταχωρίστε, γράψτε
			χρησιμοποίησε, πληκτρολόγησε, αντιγράψτε, ακόλουθο, παρακάτω, βάλε, βάλτε`,
		to: 'για, για να, στο, στη, στην, σε',
		of: 'της, του, για, των, σας',
		unit: 'λεπτά, λεπτό, ώρες, ώρα, ωρών, ημέρες, μέρες, δευτερόλεπτα, ψηφία, χαρακτήρες, ευρώ, χρόνια, μήνες',
	},
	sq: {
		code: 'kodi, kodin, kodit, kod, kode, kodet, fjalëkalim i përkohshëm',
		otp: 'fjalëkalim një përdorimësh, fjalëkalimi një herësh',
		verify: `verifik, konfirm, vërtet, siguri, qasje, hyrje, kyçje, autoriz, autentifik, një herë, aktiviz
			regjistr, përkohsh, rikuper, identitet, dyfaktor`,
		about: 'fjalëkalim, vlen, skadon, minuta, llogari',
		number: 'numri, numër, nr',
		thing: `zbritj~, postar~, porosi~, gabim~, klient~, produkt~, promo~, gjurmim~, rezervim~, fatur~, dërges~
			shtetit~, burim~, qr, dhurat~`,
		offer: 'zbritj, ofert, kupon, dhurat',
		numbered: 'porosia, fatura, telefoni, tel, dhoma, shuma',
		is: 'është, si',
		enter: 'përdorni, përdor, shkruani, shkruaj, vendosni, vendos, jepni, jep, fut, futni, kopjoni',
		to: 'për, për të, te, në',
		of: 'e, i, të, për',
		unit: 'minuta, minutash, orë, ditë, sekonda, shifra, lekë, euro, vjet',
	},
	cy: {
		code: 'cod, chod, côd, codau',
		otp: `god awdurdodi, god dilysu, god cadarnhau, god diogelwch, god mynediad, cyfrinair untro
			cyfrinair un tro, rhif pin`,
		verify: `dilysu, cadarnhau, gwirio, wirio, diogel, mewngofnodi, fewngofnodi, mynediad, untro, un tro
			actifadu, cofrestru, adfer, awdurdodi, tystio`,
		about: 'cyfrinair, dilys, dod i ben, munud, cyfrif',
		thing: 'post, disgownt, gostyngiad, archeb, gwall, cwsmer, cynnyrch, olrhain, ffynhonnell, qr, ystafell',
		offer: 'disgownt, cynnig, gostyngiad',
		numbered: 'archeb, ffôn, ystafell',
		is: 'yw, ydy, fel',
		enter: 'defnyddiwch, rhowch, teipiwch, nodwch, ysgrifennwch, copïwch',
		to: 'i, ar, yn',
		unit: 'munud, awr, diwrnod, eiliad, digid',
	},
	ka: {
		code: 'კოდ~, დროებითი პაროლი',
		otp: 'ერთჯერადი პაროლ~, ერთჯერადი კოდ~, პინ~',
		verify: `დადასტურ, დამადასტურ, ვერიფიკ, შემოწმ, უსაფრთხო, შესვლ, წვდომ, ავტორიზ, ავთენტ, აუთენტ, ერთჯერად
			აქტივ, გააქტიურ, რეგისტრ, აღდგენ, დროებით, იდენტიფ`,
		about: 'პაროლ, მოქმედ, წუთ, ანგარიშ, ვადა, გაუზიარ',
		number: 'ნომერ~, ნომრ~',
		thing: `ფასდაკლ~, საფოსტო~, შეკვეთ~, შეცდომ~, კლიენტ~, პროდუქტ~, პრომო~, თვალყურ~, ჯავშ~, ინვოის~, ქვეყნ~
			შტრიხ~, წყარო~, ვაუჩერ~, სასაჩუქრ~, ოთახ~`,
		offer: 'ფასდაკლ, კუპონ, შეთავაზ, აქცია',
		failure: 'შეცდომ',
		numbered: 'შეკვეთა, ტელეფონი, ტელ, ოთახი, თანხა',
		is: 'არის, ესაა',
		enter: 'შეიყვანეთ, გამოიყენეთ, ჩაწერეთ, აკრიფეთ, მიუთითეთ, შეიყვანე, გამოიყენე',
		to: 'რათა, რომ',
		unit: 'წუთ~, საათ~, დღ~, წამ~, ციფრ~, ლარ~, წელ~',
	},
	hy: {
		code: 'կոդ~, ծածկագիր~, ծածկագր~, ժամանակավոր գաղտնաբառ',
		otp: 'մեկանգամյա գաղտնաբառ~, մեկանգամյա կոդ~, փին~',
		verify: `հաստատ, ստուգ, վավերաց, անվտանգ, մուտք, նույնական, լիազոր, մեկանգամյա, ակտիվաց, գրանցման, վերականգն
			ժամանակավոր`,
		about: 'գաղտնաբառ, վավեր, րոպե, հաշ, ժամկետ',
		number: 'համար~',
		thing: `զեղչ~, փոստ~, պատվեր~, սխալ~, հաճախորդ~, ապրանք~, պրոմո~, հետագծ~, ամրագր~, երկր~, շտրիխ~, նվեր~
			սենյակ~`,
		offer: 'զեղչ, կտրոն, առաջարկ, ակցիա',
		failure: 'սխալ',
		numbered: 'պատվեր, հեռախոս, հեռ, սենյակ, գումար',
		is: 'է, որպես, սա',
		enter: 'մուտքագրեք, օգտագործեք, գրեք, մուտքագրել, պատճենեք',
		to: 'որպեսզի, համար',
		unit: 'րոպե~, ժամ~, օր~, վայրկյան~, նիշ~, դրամ~, տարի~',
	},
};
